"""The SELECT list, and the references to it from GROUP BY, DISTINCT ON and ORDER BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from holdfast.plan.types import UNKNOWN
from holdfast.sql.errors import AmbiguousColumn, InvalidColumnReference, WrongSyntax
from holdfast.sql.lower import columns
from holdfast.sql.lower.block import SELECT, Block, Clause, Reference
from holdfast.sql.lower.names import column_name
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.query import Target
from holdfast.sql.term import Term


@dataclass(slots=True)
class Targets:
    """The columns of a SELECT, and what was named in each."""

    names: list[str] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    references: list[Sequence[Reference]] = field(default_factory=list)

    def add(self, name: str, term: Term, references: Sequence[Reference]) -> None:
        self.names.append(name)
        self.terms.append(term)
        self.references.append(references)

    def settle(self, index: int, block: Block) -> Term:
        """The column, which is text if nothing says otherwise: what it is sorted or grouped by must have a type."""
        if self.terms[index].type is UNKNOWN:
            self.terms[index] = block.coercion.text_if_unknown(self.terms[index])
        return self.terms[index]


def lower_targets(targets: Sequence[Target], block: Block, clause: Clause = SELECT) -> Targets:
    found = Targets()
    with block.in_clause(clause):
        for target in targets:
            expression = target.expression
            before = len(block.references)
            if isinstance(expression, syntax.Star | syntax.FieldStar):
                expand = columns.star if isinstance(expression, syntax.Star) else columns.field_star
                for named in expand(expression, block):  # type: ignore[arg-type]  # which one it is was just asked
                    found.add(named.name, named.term, block.references[before:])
                continue
            term = block.term(expression)
            name = target.alias if target.alias is not None else column_name(expression, block.statement.query_names)
            found.add(name, term, block.references[before:])
    return found


def output(
    expression: syntax.Expression, targets: Targets, block: Block, clause: Clause, *, input_first: bool = False
) -> int | None:
    """The column of the SELECT list that an item of `clause` means by name or number; None if it is an expression.

    In GROUP BY, a column of FROM is meant rather than one of the list (`input_first`).
    """
    match expression:
        case syntax.Column() if len(expression.parts) == 1:
            name = expression.parts[0]
            if input_first and _is_input(name, block):
                return None
            found = [index for index, other in enumerate(targets.names) if other == name]
            if len({targets.terms[index].scalar for index in found}) > 1:
                raise AmbiguousColumn(f'{clause.name} "{name}" is ambiguous', expression.location)
            return found[0] if found else None
        case syntax.IntegerLiteral():
            if not 1 <= expression.value <= len(targets.terms):
                raise InvalidColumnReference(
                    f"{clause.name} position {expression.value} is not in select list", expression.location
                )
            return expression.value - 1
        case syntax.StringLiteral() | syntax.NumericLiteral() | syntax.NullLiteral() | syntax.BooleanLiteral():
            raise WrongSyntax(f"non-integer constant in {clause.name}", expression.location)
    return None


def _is_input(name: str, block: Block) -> bool:
    return any(name in item.columns for item in block.scope.items if item.bare)
