"""Functions of users: what their statements make, and which of them a query calls."""

from __future__ import annotations

from collections.abc import Iterator
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
from holdfast.sql.modifiers import bare
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


def python_of(item: Item) -> PythonFunction:
    """What a function of a user runs."""
    assert item.function is not None
    assert isinstance(item.function.python, PythonFunction)  # there is no other language
    return item.function.python


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
