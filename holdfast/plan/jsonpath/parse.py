"""From the text of a path to its parts."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Literal

from holdfast.plan.errors import (
    InvalidTextRepresentation,
    ProgramLimitExceeded,
    SyntaxErrorInValue,
    UnsupportedValue,
)
from holdfast.plan.json_value import number
from holdfast.plan.jsonpath.syntax import (
    PREDICATES,
    Access,
    Accessor,
    AndOr,
    AnyElement,
    AnyKey,
    Binary,
    Compare,
    Comparison,
    Current,
    Descendants,
    Exists,
    Expression,
    Filter,
    IsUnknown,
    Key,
    Last,
    LikeRegex,
    Literally,
    Method,
    Not,
    Path,
    Predicate,
    Root,
    StartsWith,
    Subscripts,
    Unary,
    Variable,
)
from holdfast.plan.jsonpath.tokens import Token, tokens, wrong
from holdfast.plan.regex.compiled import compiled
from holdfast.plan.regex.parse import Options

METHODS = frozenset(
    (
        *("type", "size", "keyvalue", "string", "boolean"),
        *("abs", "ceiling", "floor", "double", "integer", "bigint", "number", "decimal"),
        *("datetime", "date", "time", "time_tz", "timestamp", "timestamp_tz"),
    )
)
_COMPARISONS: dict[str, Comparison] = {
    "==": "==",
    "=": "==",
    "!=": "!=",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}


@lru_cache(maxsize=1024)
def parse_path(text: str) -> Path:
    """Raises `SyntaxErrorInValue` where the text is no path."""
    if not text.strip():
        raise InvalidTextRepresentation(f'invalid input syntax for type jsonpath: "{text}"')
    try:
        return _Parser(tokens(text)).path()
    except RecursionError:
        raise ProgramLimitExceeded("jsonpath is nested too deeply") from None


class _Parser:
    """`filters` and `subscripts` say how many of them the parser is inside of."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens, self._at = found, 0
        self._filters, self._subscripts = 0, 0

    def path(self) -> Path:
        strict = self._is_word("strict")
        if strict or self._is_word("lax"):
            self._at += 1
        found = self._either()
        if self._next.kind != "end":
            raise wrong(self._next)
        return Path(strict, found)

    # Tokens

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _is_word(self, word: str) -> bool:
        return self._next.kind == "word" and self._next.text.lower() == word

    def _is(self, symbol: str) -> bool:
        return self._next.kind == "symbol" and self._next.text == symbol

    def _accept(self, symbol: str) -> bool:
        found = self._is(symbol)
        self._at += found
        return found

    def _accept_word(self, word: str) -> bool:
        found = self._is_word(word)
        self._at += found
        return found

    def _expect(self, symbol: str) -> None:
        if not self._accept(symbol):
            raise wrong(self._next)

    def _take(self, kind: str) -> str:
        token = self._next
        if token.kind != kind:
            raise wrong(token)
        self._at += 1
        return token.text

    # Predicates

    def _predicate(self) -> Predicate:
        """One that is asked for, where an expression would be wrong."""
        found = self._either()
        if not isinstance(found, PREDICATES):
            raise wrong(self._next)
        return found

    def _either(self) -> Expression:
        return self._connected("||")

    def _connected(self, operator: Literal["&&", "||"]) -> Expression:
        left = self._connected("&&") if operator == "||" else self._comparison()
        while self._is(operator):
            if not isinstance(left, PREDICATES):
                raise wrong(self._next)
            self._at += 1
            right = self._connected("&&") if operator == "||" else self._comparison()
            if not isinstance(right, PREDICATES):
                raise wrong(self._next)
            left = AndOr(operator, left, right)
        return left

    def _comparison(self) -> Expression:
        left = self._sum()
        if isinstance(left, PREDICATES):
            return left
        if self._next.kind == "symbol" and self._next.text in _COMPARISONS:
            operator = _COMPARISONS[self._next.text]
            self._at += 1
            return Compare(operator, left, self._value())
        if self._accept_word("starts"):
            if not self._accept_word("with"):
                raise wrong(self._next)
            return StartsWith(left, self._prefix())
        if self._accept_word("like_regex"):
            pattern = self._take("string")
            flags = self._take("string") if self._accept_word("flag") else ""
            return LikeRegex(left, compiled(pattern, _options(flags)))
        return left

    def _prefix(self) -> Expression:
        if self._next.kind == "variable":
            return Variable(self._take("variable"))
        return Literally(self._take("string"))

    def _value(self) -> Expression:
        found = self._sum()
        if isinstance(found, PREDICATES):
            raise wrong(self._next)
        return found

    # Expressions

    def _sum(self) -> Expression:
        left = self._product()
        while (self._is("+") or self._is("-")) and not isinstance(left, PREDICATES):
            operator: Literal["+", "-"] = "+" if self._is("+") else "-"
            self._at += 1
            left = Binary(operator, left, self._product())
        return left

    def _product(self) -> Expression:
        left = self._signed()
        while not isinstance(left, PREDICATES):
            operator: Literal["*", "/", "%"]
            if self._is("*"):
                operator = "*"
            elif self._is("/"):
                operator = "/"
            elif self._is("%"):
                operator = "%"
            else:
                break
            self._at += 1
            left = Binary(operator, left, self._signed())
        return left

    def _signed(self) -> Expression:
        if self._is("+") or self._is("-"):
            operator: Literal["+", "-"] = "+" if self._is("+") else "-"
            self._at += 1
            return Unary(operator, self._signed())
        if self._accept("!"):
            return Not(self._delimited())
        return self._accessed()

    def _delimited(self) -> Predicate:
        if self._is_word("exists"):
            return self._exists()
        self._expect("(")
        found = self._predicate()
        self._expect(")")
        return found

    def _exists(self) -> Exists:
        self._at += 1
        self._expect("(")
        found = self._value()
        self._expect(")")
        return Exists(found)

    def _accessed(self) -> Expression:
        start = self._primary()
        accessors: list[Accessor] = []
        while (accessor := self._accessor()) is not None:
            accessors.append(accessor)
        return Access(start, tuple(accessors)) if accessors else start

    def _primary(self) -> Expression:
        token = self._next
        if token.kind == "symbol":
            return self._symbol(token)
        if token.kind == "end":
            raise wrong(token)
        if token.kind == "word":
            return self._word(token)
        self._at += 1
        if token.kind == "variable":
            return Variable(token.text)
        return Literally(token.text if token.kind == "string" else _number(token.text))

    def _symbol(self, token: Token) -> Expression:
        if self._accept("$"):
            return Root()
        if self._accept("@"):
            if not self._filters:
                raise SyntaxErrorInValue("@ is not allowed in root expressions")
            return Current()
        if not self._accept("("):
            raise wrong(token)
        found = self._either()
        self._expect(")")
        if isinstance(found, PREDICATES) and self._accept_word("is"):
            if not self._accept_word("unknown"):
                raise wrong(self._next)
            return IsUnknown(found)
        return found

    def _word(self, token: Token) -> Expression:
        if self._is_word("exists"):
            return self._exists()
        self._at += 1
        if token.text in _CONSTANTS:
            return Literally(_CONSTANTS[token.text])
        if token.text.lower() == "last":
            if not self._subscripts:
                raise SyntaxErrorInValue("LAST is allowed only in array subscripts")
            return Last()
        # A word that starts a path can only be one of these, so the fault shows at what follows it.
        raise wrong(self._next)

    # Accessors

    def _accessor(self) -> Accessor | None:
        if self._accept("."):
            return self._member()
        if self._accept("["):
            return self._elements()
        if self._accept("?"):
            self._expect("(")
            self._filters += 1
            found = self._predicate()
            self._filters -= 1
            self._expect(")")
            return Filter(found)
        return None

    def _member(self) -> Accessor:
        if self._accept("*"):
            return AnyKey()
        if self._accept("**"):
            return self._levels()
        token = self._next
        if token.kind not in ("word", "string", "variable"):
            raise wrong(token)
        self._at += 1
        if token.kind == "word" and token.text in METHODS and self._is("("):
            return self._method(token.text)
        return Key(token.text if token.kind != "variable" else f"${token.text}")

    def _method(self, name: str) -> Method:
        self._expect("(")
        arguments: list[int | str] = []
        while not self._is(")"):
            if arguments:
                self._expect(",")
            sign = -1 if self._accept("-") else 1
            arguments.append(sign * int(self._take("number")) if self._next.kind == "number" else self._take("string"))
        self._expect(")")
        if arguments and name not in ("datetime", "decimal", "time", "time_tz", "timestamp", "timestamp_tz"):
            raise wrong(Token("symbol", str(arguments[0])))
        return Method(name, tuple(arguments))

    def _levels(self) -> Descendants:
        if not self._accept("{"):
            return Descendants(0, None)
        first = self._level()
        last = self._level() if self._accept_word("to") else first
        self._expect("}")
        return Descendants(first, last)

    def _level(self) -> int | None:
        return None if self._accept_word("last") else int(self._take("number"))

    def _elements(self) -> Accessor:
        if self._is("*") and self._tokens[self._at + 1] == Token("symbol", "]"):
            self._at += 2
            return AnyElement()
        self._subscripts += 1
        found = [self._range()]
        while self._accept(","):
            found.append(self._range())
        self._subscripts -= 1
        self._expect("]")
        return Subscripts(tuple(found))

    def _range(self) -> tuple[Expression, Expression | None]:
        first = self._value()
        return first, (self._value() if self._accept_word("to") else None)


_CONSTANTS = {"null": None, "true": True, "false": False}


def _number(text: str) -> int | Decimal:
    if text[:2].lower() in ("0x", "0o", "0b"):
        return int(text, 0)
    return number(Decimal(text))


def _options(flags: str) -> Options:
    """XQuery's flags, as options of a regular expression."""
    for flag in flags:
        if flag not in "ismxq":
            error = SyntaxErrorInValue("invalid input syntax for type jsonpath")
            error.detail = f'Unrecognized flag character "{flag}" in LIKE_REGEX predicate.'
            raise error
    if "x" in flags and "q" not in flags:
        raise UnsupportedValue('XQuery "x" flag (expanded regular expressions) is not implemented')
    return Options(fold="i" in flags, dot_newline="s" in flags, lines="m" in flags, literal="q" in flags)
