"""EXPLAIN, in all its forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.kind import Kind

if TYPE_CHECKING:
    from holdfast.sql.syntax.statement import Statement

Stage = Literal[
    "RAW PLAN", "DECORRELATED PLAN", "LOCALLY OPTIMIZED PLAN", "OPTIMIZED PLAN", "PHYSICAL PLAN", "SPARK PLAN"
]
Output = Literal["TEXT", "JSON", "VERBOSE TEXT"]


@dataclass(frozen=True, slots=True)
class Named(Node):
    """An object that exists: VIEW v, INDEX i, MATERIALIZED VIEW m. `replan` plans it anew."""

    kind: Kind
    name: ObjectName
    replan: bool = False


@dataclass(frozen=True, slots=True)
class ExplainPlan(Node):
    """`stage` is None where none was named."""

    subject: Statement | Named
    stage: Stage | None = None
    options: tuple[Option, ...] = ()
    output: Output | None = None


@dataclass(frozen=True, slots=True)
class ExplainTimestamp(Node):
    subject: Statement
    output: Output | None = None


@dataclass(frozen=True, slots=True)
class ExplainFilterPushdown(Node):
    subject: Statement | Named


@dataclass(frozen=True, slots=True)
class ExplainSchema(Node):
    """The schema of the messages that a CREATE SINK would write."""

    part: Literal["KEY", "VALUE"]
    subject: Statement
    output: Output | None = None


@dataclass(frozen=True, slots=True)
class ExplainAnalyze(Node):
    """`subject` is None for the whole cluster. HINTS stands alone, without skew.

    Without properties, all that is known of the subject is told: that is a form of ours.
    """

    properties: tuple[Literal["CPU", "MEMORY", "HINTS"], ...]
    subject: Named | None = None
    skew: bool = False
    as_sql: bool = False


Explain = ExplainPlan | ExplainTimestamp | ExplainFilterPushdown | ExplainSchema | ExplainAnalyze
