"""Assignment: a value as one of exactly the type of the column that it is to be in."""

from __future__ import annotations

from functools import lru_cache

from holdfast.plan.functions.conversion import from_text, of_items
from holdfast.plan.functions.function import Types
from holdfast.plan.scalar import Constant, Scalar, null
from holdfast.plan.types import Array, List, Modified, Type
from holdfast.sql.catalog import CatalogColumn
from holdfast.sql.coerce import Coercion, Step, applied, natural, shown, steps
from holdfast.sql.errors import DatatypeMismatch, NotSupported
from holdfast.sql.lower.block import Block, Clause, Statement
from holdfast.sql.lower.placement import Placement
from holdfast.sql.modifiers import bare, has_modifier
from holdfast.sql.parser import parse_expression
from holdfast.sql.scope import Scope
from holdfast.sql.term import Term

REWRITE = "You will need to rewrite or cast the expression."
DEFAULT = Clause("DEFAULT expressions")


def assigned(term: Term, column: CatalogColumn, coercion: Coercion, what: str = "expression") -> Scalar:
    """The term as a value of the column; `what` errors call it."""
    found = coerced(term, column.type, coercion)
    if found is None:
        raise DatatypeMismatch(
            f'column "{column.name}" is of type {shown(column.type)} but {what} is of type {shown(term.type)}',
            term.location,
            REWRITE,
        )
    return found


def coerced(term: Term, target: Type, coercion: Coercion) -> Scalar | None:
    """The term as one of exactly `target`, by assignment; None if there is no such cast."""
    if term.unknown:
        term = coercion.known(term, target)
    path = steps_into(term.type, target)
    if path is None:
        return None
    _check_dimensions(term, target)
    return applied(term.scalar, path)


@lru_cache(maxsize=4096)
def steps_into(source: Type, target: Type) -> tuple[Step, ...] | None:
    """The casts that make a value of `source` one of a column of type `target`; None if there are none.

    Text that is longer than its column is an error, where an explicit cast would cut it.
    """
    measured = _has_length(target)
    base = bare(target) if measured else target
    first = () if bare(source) is bare(base) else steps(source, natural(source, base), "assignment")
    if first is None:
        return None
    between = first[-1].type if first else source
    last = _measured(between, target) if measured else steps(between, target, "assignment")
    return None if last is None else (*first, *last)


def _check_dimensions(term: Term, target: Type) -> None:
    """A column of arrays holds those of one number of dimensions; one that is empty or null has any."""
    if not isinstance(target, Array) or not isinstance(term.type, Array):
        return
    empty = isinstance(term.scalar, Constant) and not term.scalar.value
    if term.type.dimensions != target.dimensions and not empty:
        raise NotSupported(
            f"arrays of {term.type.dimensions} dimensions are not supported in a column of type {target}",
            term.location,
        )


def _has_length(target: Type) -> bool:
    match target:
        case Modified():
            return target.base in ("varchar", "bpchar") and has_modifier(target)
        case Array() | List():
            return _has_length(target.element)
    return False


def _measured(source: Type, target: Type) -> tuple[Step, ...]:
    """From a type to the same with a length: each text is read as one of the latter."""
    if source is target:
        return ()
    if not isinstance(target, Array | List):
        return (Step(from_text(source, target), target),)
    assert isinstance(source, Array | List)  # it has the base of the target
    (item,) = _measured(bare(target.element), target.element)
    depth = target.dimensions if isinstance(target, Array) else 1
    types = Types((source.element,), item.type)
    return (Step(of_items(source, target, item.function, types, depth), target),)


def default_of(column: CatalogColumn, statement: Statement) -> Scalar:
    """What the column has in a row that does not say."""
    if column.default is None:
        return null(column.type)
    expression = parse_expression(column.default) if isinstance(column.default, str) else column.default
    block = Block(statement, Scope((), (), None), {}, DEFAULT)
    term = block.term(expression)
    # Places in the text of the default are none of the statement's.
    unplaced = Term(Placement(0).scalar(term.scalar), 0)
    return assigned(unplaced, column, statement.coercion, "default expression")
