"""Expressions of literals and calls, run by the Python functions of some families, or written for Spark.

So a table of cases is SQL that PostgreSQL can be asked too. A string is text, and the overload is the one with the most
arguments of exactly the types given: what the rules of PostgreSQL choose among more than these is not for these tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.plan.functions.function import Any, Family, Function, TableFunction, Types
from holdfast.plan.functions.spark_text import quoted
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import BOOL, INT4, INT8, NUMERIC, TEXT, UNKNOWN, Modified, Type, array_of, spark_type
from holdfast.sql.parser import parse_expression
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.types import ArrayType, NamedType, TypeName

_LIKE = {"LIKE": "~~", "ILIKE": "~~*", "SIMILAR TO": "~"}


@dataclass(frozen=True)
class Outcome:
    """`spark` is None where Spark has no text for a function inside."""

    value: object
    type: Type
    spark: str | None


def _type(name: TypeName) -> Type:
    if isinstance(name, ArrayType):
        return array_of(_type(name.element))
    assert isinstance(name, NamedType)
    base = name.parts[-1]
    modifier = name.modifiers[0] if name.modifiers else None
    if base in ("varchar", "bpchar", "timestamptz", "timestamp"):
        return Modified(base, modifier if isinstance(modifier, int) else None)
    return NUMERIC if base == "numeric" else INT8 if base == "int8" else Type(base)


def _spark_literal(value: object, type_: Type) -> str | None:
    if value is None:
        return f"CAST(NULL AS {spark_type(type_)})"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, bool | int) and type_.base in ("int2", "int4", "int8", "bool"):
        return str(value).lower() if type_ is BOOL else f"CAST({value} AS {spark_type(type_)})"
    if isinstance(value, tuple):
        parts = [_spark_literal(part, TEXT) for part in value]
        return None if None in parts else f"CAST(array({', '.join(map(str, parts))}) AS {spark_type(type_)})"
    return None


def _literal(value: object, type_: Type) -> Outcome:
    return Outcome(value, type_, _spark_literal(value, type_))


def _matches(pattern: object, type_: Type) -> int:
    """2 for the type itself, 1 for a kind that it is of, 0 for neither."""
    if isinstance(pattern, Type):
        return 2 if pattern.base == type_.base else 1 if type_ is UNKNOWN else 0
    is_array = type_.base.startswith("_")
    return int(not (pattern is Any.NONARRAY and is_array) and not (pattern is Any.ARRAY and not is_array))


def _chosen(overloads: Sequence[Function | TableFunction], types: Sequence[Type]) -> Function | TableFunction:
    found: list[tuple[int, Function | TableFunction]] = []
    for function in overloads:
        patterns = list(function.arguments)
        if function.variadic:
            patterns += patterns[-1:] * (len(types) - len(patterns))
        ranks = [_matches(pattern, type_) for pattern, type_ in zip(patterns, types, strict=False)]
        if len(patterns) == len(types) and all(ranks):
            found.append((sum(ranks), function))
    assert found, f"no overload for {[str(type_) for type_ in types]}"
    return max(found, key=lambda ranked: ranked[0])[1]


class Expressions:
    def __init__(self, *families: Family) -> None:
        self._functions = [function for family in families for function in (*family.functions, *family.operators)]
        self._tables = [function for family in families for function in family.tables]
        self._casts = {(cast.source, cast.target): cast for family in families for cast in family.casts}

    def value(self, sql: str) -> object:
        return self.run(sql).value

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Of a call of a table function."""
        call = parse_expression(sql)
        assert isinstance(call, syntax.Call)
        arguments = [self._run(argument) for argument in call.arguments]
        overloads = [function for function in self._tables if function.name == call.name.parts[-1]]
        function = _chosen(overloads, [argument.type for argument in arguments])
        assert isinstance(function, TableFunction)
        if function.strict and any(argument.value is None for argument in arguments):
            return []
        return list(function.python(*(argument.value for argument in arguments)))

    def run(self, sql: str) -> Outcome:
        return self._run(parse_expression(sql))

    def _run(self, node: syntax.Expression | syntax.NamedArgument) -> Outcome:
        match node:
            case syntax.NullLiteral():
                return _literal(None, UNKNOWN)
            case syntax.StringLiteral():
                return _literal(node.value, TEXT)
            case syntax.IntegerLiteral():
                return _literal(node.value, INT4)
            case syntax.BooleanLiteral():
                return _literal(node.value, BOOL)
            case syntax.NumericLiteral() if node.text == "-2147483648":
                return _literal(-2147483648, INT4)
            case syntax.NumericLiteral():
                return _literal(read_of(NUMERIC)(node.text), NUMERIC)
            case syntax.Array():
                items = [self._run(item) for item in node.items]
                return _literal(tuple(item.value for item in items), array_of(items[0].type))
            case syntax.Cast():
                return self._cast(node)
            case syntax.Not():
                operand = self._run(node.operand)
                return Outcome(None if operand.value is None else not operand.value, BOOL, None)
            case syntax.Binary():
                return self._call(node.operator.symbol, [self._run(node.left), self._run(node.right)])
            case syntax.Like():
                return self._like(node)
            case syntax.Call():
                return self._call(node.name.parts[-1], [self._run(argument) for argument in node.arguments])
        raise AssertionError(node)

    def _cast(self, node: syntax.Cast) -> Outcome:
        target = _type(node.type)
        if isinstance(node.operand, syntax.StringLiteral):
            # As PostgreSQL does, a literal is read without the modifier, which a cast then applies.
            plain = Modified(target.base) if isinstance(target, Modified) else target
            operand = _literal(read_of(plain)(node.operand.value), plain)
            if target is plain:
                return operand
        elif isinstance(node.operand, syntax.IntegerLiteral) and target.base in ("int2", "int8"):
            return _literal(node.operand.value, target)
        else:
            operand = self._run(node.operand)
        if operand.type is UNKNOWN:
            return _literal(None, target)
        function = self._casts[operand.type.base, target.base].function
        if function is not None:
            return self._applied(function, [operand], target)
        # The values are the same, but for a modifier, which the cast of the target to itself applies.
        same = Outcome(operand.value, target, operand.spark)
        length = self._casts[target.base, target.base].function if isinstance(target, Modified) else None
        return self._applied(length, [same], target) if length is not None else same

    def _like(self, node: syntax.Like) -> Outcome:
        operand, pattern = self._run(node.operand), self._run(node.pattern)
        escape = [self._run(node.escape)] if node.escape else []
        if node.kind == "SIMILAR TO":
            pattern = self._call("similar_to_escape", [pattern, *escape])
        elif escape:
            pattern = self._call("like_escape", [pattern, *escape])
        return self._call(f"{'!' if node.negated else ''}{_LIKE[node.kind]}", [operand, pattern])

    def _call(self, name: str, arguments: list[Outcome]) -> Outcome:
        overloads = [function for function in self._functions if function.name == name]
        assert overloads, f"no function {name}"
        function = _chosen(overloads, [argument.type for argument in arguments])
        assert isinstance(function, Function)
        types = [argument.type for argument in arguments]
        result = function.result(types) if callable(function.result) else function.result
        return self._applied(function, arguments, result if isinstance(result, Type) else TEXT)

    def _applied(self, function: Function, arguments: list[Outcome], result: Type) -> Outcome:
        types = tuple(argument.type for argument in arguments)
        values = [argument.value for argument in arguments]
        texts = [argument.spark for argument in arguments]
        spark = None
        if None not in texts and function.spark is not None:
            known = [text for text in texts if text is not None]
            spark = (
                function.spark.format(*known)
                if isinstance(function.spark, str)
                else function.spark(known, types, result)
            )
        if function.strict and None in values:
            return Outcome(None, result, spark)
        assert function.python is not None
        value = function.python(Types(types, result), *values) if function.typed else function.python(*values)
        return Outcome(value, result, spark)
