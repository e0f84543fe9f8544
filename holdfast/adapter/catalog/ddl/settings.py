"""ALTER SYSTEM: parameters of the whole system."""

from __future__ import annotations

from holdfast.adapter.catalog.ddl.roles import text_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.objects import Setting
from holdfast.adapter.catalog.privileges import require_superuser
from holdfast.sql.syntax.statement.alter import AlterSystem
from holdfast.sql.syntax.statement.session import SetVariable


def alter_system(statement: AlterSystem, work: Work) -> None:
    require_superuser(work.role, "alter system parameters")
    change = statement.change
    if change.name is None:
        work.remove(*work.state.parameters())
        return
    values = [text_of(each) for each in change.values] if isinstance(change, SetVariable) else []
    name, value = work.checked(change.name, values)
    held = work.state.settings.get(name)
    if held is not None:
        work.remove(held)
    if values:
        work.add(Setting(name, value))
