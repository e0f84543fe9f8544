"""What sessions can do wrong, and what can go wrong around them."""

from __future__ import annotations

from holdfast.errors import DataCorruption, HoldfastError, QueryError


class ActiveTransaction(QueryError):
    """The statement cannot be part of a transaction, or comes too late in this one."""


class NoActiveTransaction(QueryError):
    """The statement makes sense only in a transaction that was begun."""


class FailedTransaction(QueryError):
    """After an error, a transaction can only be ended."""

    def __init__(self) -> None:
        super().__init__("current transaction is aborted, commands ignored until end of transaction block")


class InvalidTransactionState(QueryError):
    """The transaction is of another kind than the statement."""


class ReadOnlyTransaction(QueryError):
    """A write in a transaction that reads."""

    def __init__(self, message: str = "transaction in read-only mode") -> None:
        super().__init__(message)


class InvalidStatementName(QueryError):
    """No prepared statement of this name, or one too many."""


class DuplicatePreparedStatement(QueryError):
    pass


class InvalidCursorName(QueryError):
    """No cursor or portal of this name."""


class DuplicateCursor(QueryError):
    pass


class UnknownVariable(QueryError):
    def __init__(self, name: str) -> None:
        super().__init__(f'unrecognized configuration parameter "{name}"')


class InvalidVariableValue(QueryError):
    pass


class ReadOnlyVariable(QueryError):
    def __init__(self, name: str) -> None:
        super().__init__(f'parameter "{name}" cannot be changed')


class NotNullViolation(QueryError):
    pass


class NoTimestamp(QueryError):
    """No time is right for all that is read."""


class TooStale(HoldfastError):
    """The bound on staleness cannot be kept at the moment."""


class StatementCancelled(HoldfastError):
    pass


class SessionEnded(HoldfastError):
    """The session was ended by the server: it was idle in a transaction for too long, or the server stops."""


class IdleInTransaction(SessionEnded):
    def __init__(self) -> None:
        super().__init__("terminating connection due to idle-in-transaction timeout")


class TooManySessions(HoldfastError):
    pass


class LoginRefused(HoldfastError):
    pass


class ChangedResultType(QueryError):
    """A prepared statement that means something else by now.

    Drivers that prepare it again then know the error by the function of PostgreSQL's that raises it.
    """

    routine = "RevalidateCachedQuery"

    def __init__(self) -> None:
        super().__init__("cached plan must not change result type")


class WrongParameterCount(QueryError):
    pass


class InvalidOption(QueryError):
    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


class ConcurrentDrop(QueryError):
    """A table went away between the plan of a statement that writes it and the write."""

    def __init__(self, name: str) -> None:
        super().__init__(f'relation "{name}" does not exist')
        self.detail = "It was dropped while the statement ran."


class NegativeCount(DataCorruption):
    """A row was taken away more often than it was put in."""

    def __init__(self) -> None:
        super().__init__("a table has a row with a negative count")


class InvalidSubscription(QueryError):
    """A SUBSCRIBE that would end before it begins."""


class BadCopyFormat(QueryError):
    """Data of a COPY that are not laid out as their format asks. Values that do not read are errors of their own."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
