"""Functions of users: what their statements make, and which of them a query calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item
from holdfast.plan.functions.function import Function
from holdfast.plan.python_function import PythonFunction, python_function
from holdfast.plan.relation import Plan
from holdfast.plan.types import Type
from holdfast.repr.ids import GlobalId
from holdfast.sql import plan_query
from holdfast.sql.catalog import Catalog
from holdfast.sql.errors import AmbiguousFunction, UndefinedFunction
from holdfast.sql.modifiers import bare
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement.create import CreateFunction, CreateMaterializedView, CreateView
from holdfast.sql.syntax.types import TypeName
from holdfast.sql.typenames import type_of


def function_of(statement: CreateFunction, catalog: Catalog) -> Function:
    """The function as plans call it. Modifiers of its types say nothing, as in PostgreSQL."""
    assert statement.returns is not None  # one that returns rows is not made
    parameters = tuple(argument.name or f"arg{place}" for place, argument in enumerate(statement.arguments, start=1))
    result = signature_type(statement.returns, catalog)
    python = PythonFunction(statement.name.parts[-1], parameters, statement.body, result)
    arguments = tuple(signature_type(argument.type, catalog) for argument in statement.arguments)
    return python_function(python, arguments, strict=statement.strict)


def signature_type(name: TypeName, catalog: Catalog) -> Type:
    return bare(type_of(name, catalog))


def check_source(function: Function) -> None:
    """Whether the body of a user's function is Python."""
    assert isinstance(function.python, PythonFunction)  # there is no other language
    function.python.check()


def signature(item: Item) -> str:
    """`f(integer, text)`."""
    assert item.function is not None
    return f"{item.name}({', '.join(map(str, item.function.arguments))})"


def called(plan: Plan) -> frozenset[Function]:
    """The functions of users that a plan calls, in whatever part of it."""
    return frozenset(_called(plan))


def _called(plan: Plan) -> Iterator[Function]:
    waiting: list[object] = [plan]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, Function):
            if isinstance(part.python, PythonFunction):
                yield part
        elif isinstance(part, tuple):
            waiting.extend(part)
        elif is_dataclass(part) and id(part) not in seen:
            seen.add(id(part))
            waiting.extend(getattr(part, each.name) for each in fields(part))


def uses_of(statement: Node, mentioned: frozenset[GlobalId], names: SessionNames) -> frozenset[GlobalId]:
    """What a statement of whole names uses of what it mentions: of the functions of a name, a view calls only some."""
    functions = {id_ for id_ in mentioned if names.state.item(id_).kind == "function"}
    if not functions or not isinstance(statement, CreateView | CreateMaterializedView):
        return mentioned
    ours = called(plan_query(statement.query, names.anywhere()).plan)
    return mentioned - {id_ for id_ in functions if names.state.item(id_).function not in ours}


def function_named(name: ObjectName, arguments: Sequence[TypeName] | None, names: SessionNames) -> Item:
    """The function of a user that takes just these types; without types, the only one of its name."""
    found, shown = names.functions_named(name.parts), ".".join(name.parts)
    if not found and len(name.parts) > 1:
        names.schema(ObjectName(name.parts[:-1], location=name.location))
    if arguments is None:
        if len(found) > 1:
            raise AmbiguousFunction(
                f'function name "{shown}" is not unique',
                name.location,
                "Specify the argument list to select the function unambiguously.",
            )
        if not found:
            raise UndefinedFunction(f'could not find a function named "{shown}"', name.location)
        return found[0]
    types = tuple(signature_type(argument, names) for argument in arguments)
    for item in found:
        if item.function is not None and item.function.arguments == types:
            return item
    raise UndefinedFunction(f"function {shown}({', '.join(map(str, types))}) does not exist", name.location)
