"""EXPLAIN ANALYZE: what keeps a view up to date, and what each part of it did and holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.maintain.entry import entry_of
from holdfast.adapter.session.state import SessionState
from holdfast.compute.delta import Program
from holdfast.compute.delta.cost import StageCost
from holdfast.compute.delta.show import show_program
from holdfast.compute.maintain import DataflowStatus, StageEntry, StepEntry
from holdfast.plan.functions.server import size_pretty
from holdfast.sql.errors import NotSupported
from holdfast.sql.syntax.statement.explain import ExplainAnalyze, Named
from holdfast.sql.syntax.statement.kind import Kind

_STEPS = 5
"""Steps that are told one by one. `mz_internal.mz_dataflow_steps` has more."""

_HEAD: tuple[str, ...] = ("until", "how", "rows in", "rows out", "read ms", "compute ms", "commit ms", "why")


def analyzed(state: SessionState, syntax: ExplainAnalyze) -> str:
    """Its program, with collections called by their ids. CPU is about what was done, MEMORY about what is held."""
    subject, wanted = syntax.subject, syntax.properties or ("CPU", "MEMORY")
    if subject is None or syntax.skew or syntax.as_sql or "HINTS" in wanted:
        raise NotSupported("EXPLAIN ANALYZE tells the CPU and MEMORY of one view or index", syntax.location)
    item, status = _maintained(state, subject)
    entry = entry_of(item, status, state.shared.ledger.read_ts)
    lines, notes = [_status(entry)], dict[str, str]()
    if "CPU" in wanted:
        lines += _steps(entry.last_steps[-_STEPS:])
        notes |= _costs(entry, status.program)
    if "MEMORY" in wanted:
        notes |= _sizes(entry, status.program)
    return "\n".join([*lines, show_program(status.program, notes)])


def _maintained(state: SessionState, subject: Named) -> tuple[Item, DataflowStatus]:
    item = state.names.item(subject.name, "materialized-view" if subject.kind is Kind.MATERIALIZED_VIEW else "index")
    status = state.shared.ledger.maintainer.compute.status(item.on or item.id)
    if status is None:
        raise NotSupported(f'no dataflow maintains {item.noun} "{item.name}"', subject.location)
    return item, status


def _status(entry: DataflowEntry) -> str:
    status = f"Status: {entry.status}"
    if entry.read_ts is not None:
        status += f", complete at {entry.read_ts}, {entry.lag_ms} ms behind"
    return status if entry.error is None else f"{status}; {entry.error}"


# Steps


def _steps(steps: Sequence[StepEntry]) -> Iterator[str]:
    if not steps:
        return
    yield "Last steps:"
    table = [_HEAD]
    for step in steps:
        spent = (_ms(step.seconds[phase]) for phase in ("read", "compute", "commit"))
        why = step.reason if step.error is None else f"{step.reason}; {step.error}"
        table.append((str(step.upper - 1), step.mode, str(step.rows_in), str(step.rows_out), *spent, why))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for until, how, *numbers, why in table:
        cells = [until.ljust(widths[0]), how.ljust(widths[1])]
        cells += [number.rjust(width) for number, width in zip(numbers, widths[2:], strict=False)]
        yield f"  {'  '.join([*cells, why])}"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.2f}"


# Stages


def _costs(entry: DataflowEntry, program: Program) -> Iterator[tuple[str, str]]:
    last = next((step.stages for step in reversed(entry.last_steps) if step.stages), ())
    costs, totals = {cost.stage: cost for cost in last}, {total.name: total for total in entry.stages}
    for stage in program.stages:
        total = totals.get(stage.name)
        yield stage.name, "not run yet" if total is None else _cost(costs.get(stage.name), total)


def _cost(cost: StageCost | None, total: StageEntry) -> str:
    told = []
    if cost is not None:
        spent = _rows(cost.rows_in, cost.looked_up, cost.rows_out, cost.seconds)
        told.append(f"last: {spent}" if cost.ran else "last: nothing to do")
    if total.ran:
        spent = _rows(total.rows_in, total.looked_up, total.rows_out, total.seconds)
        told.append(f"ran in {total.ran} of {total.steps} steps: {spent}")
    return "; ".join(told)


def _rows(rows_in: int, looked_up: int, rows_out: int, seconds: float) -> str:
    found = f"{looked_up} looked up, " if looked_up else ""
    return f"{rows_in} in, {found}{rows_out} out, {_ms(seconds)} ms"


# Sizes


def _sizes(entry: DataflowEntry, program: Program) -> Iterator[tuple[str, str]]:
    held = {each.name: f"in memory: {each.updates} updates, {size_pretty(each.size)}" for each in entry.arrangements}
    for name in program.lookups:
        yield name, held.get(name, "not in memory yet")
    for name, rows, size in entry.states:
        counted = "1 row" if rows == 1 else f"{rows} rows"
        yield name, f"{counted}, {size_pretty(size)}; {held.get(name, 'not in memory yet')}"
