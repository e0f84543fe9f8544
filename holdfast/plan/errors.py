"""What can be wrong with a value: errors of the data, each named as PostgreSQL names its condition.

They are raised where a function is evaluated, perhaps in another process, so each can be made again from its
message alone.
"""

from __future__ import annotations

from holdfast.errors import QueryError


class DataError(QueryError):
    """A value for which an expression has no answer."""


class NumericValueOutOfRange(DataError):
    pass


class DivisionByZero(DataError):
    def __init__(self, message: str = "division by zero") -> None:
        super().__init__(message)


class InvalidTextRepresentation(DataError):
    """Text that does not read as a value of its type."""


class InvalidBinaryRepresentation(DataError):
    """Bytes that are no value of their type."""


class BytesMissing(InvalidBinaryRepresentation):
    def __init__(self, message: str = "insufficient data left in message") -> None:
        super().__init__(message)


class BytesLeftOver(InvalidBinaryRepresentation):
    """A value, and something after it."""

    def __init__(self, message: str = "incorrect binary data format") -> None:
        super().__init__(message)


class DatetimeFieldOverflow(DataError):
    pass


class InvalidDatetimeFormat(DataError):
    pass


class IntervalFieldOverflow(DataError):
    pass


class InvalidTimeZone(DataError):
    """A time zone that the time zone database does not have."""


class InvalidTimeZoneDisplacement(DataError):
    """A distance from Greenwich that no time zone has."""


class InvalidParameterValue(DataError):
    """An argument that its function does not take."""


class InvalidArgumentForLogarithm(DataError):
    pass


class InvalidArgumentForPowerFunction(DataError):
    pass


class InvalidArgumentForWidthBucket(DataError):
    pass


class InvalidRegularExpression(DataError):
    pass


class InvalidEscapeSequence(DataError):
    pass


class InvalidEscapeCharacter(DataError):
    pass


class StringDataRightTruncation(DataError):
    """A text that is longer than its type allows."""


class NameTooLong(DataError):
    pass


class SubstringError(DataError):
    pass


class NullValueNotAllowed(DataError):
    pass


class ArraySubscriptError(DataError):
    pass


class CharacterNotInRepertoire(DataError):
    pass


class InvalidRowCountInLimit(DataError):
    pass


class InvalidRowCountInOffset(DataError):
    pass


class InvalidPrecedingOrFollowingSize(DataError):
    """An offset of a window's frame that is no distance."""


class InvalidArgumentForNtileFunction(DataError):
    pass


class InvalidArgumentForNthValueFunction(DataError):
    pass


class CardinalityViolation(DataError):
    """A subquery that stands for one value has more rows."""

    def __init__(self, message: str = "more than one row returned by a subquery used as an expression") -> None:
        super().__init__(message)


class InvalidJson(DataError):
    """A path, key or element that a JSON value does not have the shape for."""


class JsonMemberNotFound(InvalidJson):
    pass


class JsonArrayNotFound(InvalidJson):
    pass


class JsonObjectNotFound(InvalidJson):
    pass


class JsonNumberNotFound(InvalidJson):
    pass


class InvalidJsonSubscript(InvalidJson):
    pass


class SingletonJsonItemRequired(InvalidJson):
    pass


class NonNumericJsonItem(InvalidJson):
    pass


class InvalidJsonDatetime(InvalidJson):
    pass


class UndefinedJsonVariable(DataError):
    pass


class InvalidRange(DataError):
    """Bounds that make no range."""


class ProgramLimitExceeded(DataError):
    pass


class UndefinedFunctionAtRunTime(DataError):
    """A kind of value that a function cannot be asked for, found only when it ran."""


class UntranslatableCharacter(DataError):
    """A character that no text can hold."""


class SyntaxErrorInValue(DataError):
    """A value in a language of its own, as a path or the flags of bounds, that does not follow it."""


class UnsupportedValue(DataError):
    """A kind of value that PostgreSQL's function does not take either, though its signature has it."""


class DatatypeMismatch(DataError):
    """Values inside of two others that cannot be compared, or what a function of a user returned instead of a value."""


class UndefinedTableAtRunTime(DataError):
    """The text that should name a relation names none."""


class UndefinedColumnAtRunTime(DataError):
    pass


class UndefinedObjectAtRunTime(DataError):
    """The text that should name a type, a role or a setting names none."""


class UndefinedSchemaAtRunTime(DataError):
    pass


class UndefinedDatabaseAtRunTime(DataError):
    pass


class AmbiguousFunctionAtRunTime(DataError):
    """The text names more functions than one."""


class InvalidName(DataError):
    """The text is no name at all."""


class ExternalRoutineError(DataError):
    """A function that a user wrote raised an exception."""


class RoutineTimedOut(DataError):
    """A function that a user wrote did not return in the time that it was given."""
