"""The codes by which errors in data of maintained views are stored: SQLSTATEs."""

from __future__ import annotations

from holdfast.adapter.sqlstate import SQLSTATE, sqlstate
from holdfast.plan.errors import DataError

_CLASSES = {code: cls for cls, code in reversed(list(SQLSTATE.items())) if issubclass(cls, DataError)}


class SqlStates:
    def code_of(self, error: DataError) -> str:
        return sqlstate(error)

    def error_of(self, code: str, message: str) -> DataError:
        """The error of a code; the first that has it, if there are several."""
        return _CLASSES.get(code, DataError)(message)
