"""Functions that users write in Python: a source, compiled wherever it is run.

The source is the body of a function of the arguments. It is compiled by each process that runs it, so a function
can be sent to another process as what it is: text and types. Each call has a namespace of its own, so calls know
nothing of each other. Whatever a body raises is an error of the data.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from decimal import DefaultContext, localcontext
from functools import lru_cache
from types import CodeType
from typing import Any

from holdfast.plan.errors import DataError, ExternalRoutineError, SyntaxErrorInValue
from holdfast.plan.functions.function import Function, Types
from holdfast.plan.python_results import value_from
from holdfast.plan.python_values import python_of
from holdfast.plan.types import Type

_LONGEST_MESSAGE = 1000
_NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """`name` is what messages call it, `parameters` are what the body calls its arguments."""

    name: str
    parameters: tuple[str, ...]
    body: str
    result: Type

    def __call__(self, types: Types, *values: object) -> object:
        """The value for these arguments, all as `plan/types.py` lists them."""
        code, own = _code(self), _own_name(self.name)
        given = [_taken(type_, value) for type_, value in zip(types.arguments, values, strict=True)]
        namespace: dict[str, Any] = {"__builtins__": builtins, "__name__": own}
        try:
            with localcontext(DefaultContext):
                exec(code, namespace)
                returned = namespace[own](*given)
        except (Exception, SystemExit) as error:
            raise ExternalRoutineError(f"function {self.name}: {_shown(error)}") from None
        try:
            return value_from(self.result)(returned)
        except DataError as error:
            raise type(error)(f"function {self.name}: {error}") from None
        except Exception as error:
            # What was returned may be of a class of the function's own.
            raise ExternalRoutineError(f"function {self.name}: {_shown(error)}") from None

    def check(self) -> None:
        """Whether the body is Python."""
        _code(self)


def python_function(function: PythonFunction, arguments: tuple[Type, ...], *, strict: bool) -> Function:
    """The function as planning sees it: the same object whenever it is asked for the same function."""
    return _function(function, arguments, strict)


@lru_cache(maxsize=4096)
def _function(function: PythonFunction, arguments: tuple[Type, ...], strict: bool) -> Function:
    return Function(
        function.name,
        arguments,
        function.result,
        function,
        strict=strict,
        makes_null=True,
        fails=True,
        typed=True,
    )


def is_parameter(name: str) -> bool:
    """Whether Python can call an argument so."""
    return name.isidentifier() and not keyword.iskeyword(name)


def _own_name(name: str) -> str:
    """What the function is called in its own namespace, where it may call itself."""
    return name if is_parameter(name) else "function"


@lru_cache(maxsize=1024)
def _code(function: PythonFunction) -> CodeType:
    """What defines the function, when it is executed."""
    parameters = ", ".join(function.parameters)
    definition = ast.parse(f"def {_own_name(function.name)}({parameters}): pass")
    try:
        # A `return` outside of a function is an error only of the compiler: the lines are those of the user.
        body = ast.parse(textwrap.dedent(function.body)).body
        (made,) = definition.body
        assert isinstance(made, ast.FunctionDef)  # it was written so above
        made.body = body or made.body
        code = compile(definition, f"<function {function.name}>", "exec", dont_inherit=True)
    except SyntaxError as error:
        place = "" if error.lineno is None else f"line {error.lineno}: "
        raise SyntaxErrorInValue(f"function {function.name}: {place}{error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxErrorInValue(f"function {function.name}: {error or 'too deeply nested'}") from None
    inner = next(part for part in code.co_consts if isinstance(part, CodeType))
    if inner.co_flags & _NOT_PLAIN:
        raise SyntaxErrorInValue(f"function {function.name}: a function returns one value, it cannot yield")
    return code


def _taken(type_: Type, value: object) -> object:
    """The argument as Python's own library has it."""
    convert: Callable[[Any], object] = python_of(type_)
    return None if value is None else convert(value)


def _shown(error: BaseException) -> str:
    """The exception on one line or a few, in characters that any client can be told."""
    try:
        text = str(error)
    except Exception:
        text = ""
    text = text.replace("\0", "\ufffd").encode(errors="replace").decode()[:_LONGEST_MESSAGE]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
