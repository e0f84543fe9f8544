"""The only place an error of ours becomes a SQLSTATE."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast import errors
from holdfast.adapter import client_errors as client
from holdfast.adapter import errors as session
from holdfast.adapter.catalog import errors as catalog
from holdfast.adapter.ownership import FolderHeld
from holdfast.compute.delta.errors import CannotMaintain
from holdfast.errors import HoldfastError
from holdfast.persist import errors as persist
from holdfast.persist.blob.contract import BlobUnavailable
from holdfast.persist.unlock import TakenOverMeanwhile
from holdfast.plan import errors as data
from holdfast.plan.decorrelate import CorrelatedRecursion
from holdfast.repr.consolidate import DiffOverflowError
from holdfast.repr.row import RowTypeError
from holdfast.spark.errors import SparkJobFailed, SparkReadFailed, SparkUnavailable
from holdfast.spark.java import JavaUnavailable
from holdfast.sql import errors as sql

SQLSTATE: Mapping[type[HoldfastError], str] = {
    errors.HoldfastError: "XX000",  # internal_error
    errors.UsageError: "XX000",
    errors.UnavailableError: "57P03",  # cannot_connect_now
    errors.OutcomeUnknown: "40003",  # statement_completion_unknown
    errors.DataCorruption: "XX001",  # data_corrupted
    errors.FileUnusable: "58P01",  # undefined_file
    errors.QueryError: "42000",  # syntax_error_or_access_rule_violation
    # The data.
    data.DataError: "22000",  # data_exception
    data.NumericValueOutOfRange: "22003",
    data.DivisionByZero: "22012",
    data.InvalidTextRepresentation: "22P02",
    data.InvalidBinaryRepresentation: "22P03",
    data.BytesMissing: "08P01",  # protocol_violation, as PostgreSQL reports it
    data.BytesLeftOver: "22P03",
    data.DatetimeFieldOverflow: "22008",
    data.InvalidDatetimeFormat: "22007",
    data.IntervalFieldOverflow: "22015",
    data.InvalidTimeZone: "22023",  # invalid_parameter_value, as PostgreSQL reports an unknown zone
    data.InvalidTimeZoneDisplacement: "22009",
    data.InvalidParameterValue: "22023",
    data.InvalidArgumentForLogarithm: "2201E",
    data.InvalidArgumentForPowerFunction: "2201F",
    data.InvalidArgumentForWidthBucket: "2201G",
    data.InvalidRegularExpression: "2201B",
    data.InvalidEscapeSequence: "22025",
    data.InvalidEscapeCharacter: "22019",
    data.StringDataRightTruncation: "22001",
    data.NameTooLong: "42622",
    data.SubstringError: "22011",
    data.NullValueNotAllowed: "22004",
    data.ArraySubscriptError: "2202E",
    data.CharacterNotInRepertoire: "22021",
    data.InvalidRowCountInLimit: "2201W",
    data.InvalidRowCountInOffset: "2201X",
    data.InvalidPrecedingOrFollowingSize: "22013",
    data.InvalidArgumentForNtileFunction: "22014",
    data.InvalidArgumentForNthValueFunction: "22016",
    data.CardinalityViolation: "21000",
    data.InvalidJson: "22023",  # invalid_parameter_value, as PostgreSQL reports paths that lead nowhere
    data.JsonMemberNotFound: "2203A",
    data.JsonArrayNotFound: "22039",
    data.JsonObjectNotFound: "2203C",
    data.JsonNumberNotFound: "2203B",
    data.InvalidJsonSubscript: "22033",
    data.SingletonJsonItemRequired: "22038",
    data.NonNumericJsonItem: "22036",
    data.InvalidJsonDatetime: "22031",
    data.UndefinedJsonVariable: "42704",  # undefined_object
    data.InvalidRange: "22000",
    data.ProgramLimitExceeded: "54000",
    data.UndefinedFunctionAtRunTime: "42883",
    data.UndefinedTableAtRunTime: "42P01",
    data.UndefinedColumnAtRunTime: "42703",
    data.UndefinedObjectAtRunTime: "42704",
    data.UndefinedSchemaAtRunTime: "3F000",
    data.UndefinedDatabaseAtRunTime: "3D000",
    data.AmbiguousFunctionAtRunTime: "42725",
    data.InvalidName: "42602",
    data.UntranslatableCharacter: "22P05",
    data.SyntaxErrorInValue: "42601",
    data.UnsupportedValue: "0A000",
    data.DatatypeMismatch: "42804",
    data.ExternalRoutineError: "38000",  # external_routine_exception
    data.RoutineTimedOut: "57014",  # query_canceled
    DiffOverflowError: "22003",
    # The statement.
    CannotMaintain: "0A000",
    sql.SyntaxFailure: "42601",
    sql.NotSupported: "0A000",
    sql.StatementTooComplex: "54001",
    sql.InvalidText: "22021",
    sql.SemanticError: "42000",
    sql.UndefinedColumn: "42703",
    sql.AmbiguousColumn: "42702",
    sql.UndefinedTable: "42P01",
    sql.AmbiguousAlias: "42P09",
    sql.UndefinedSchema: "3F000",
    sql.DuplicateAlias: "42712",
    sql.DuplicateColumn: "42701",
    sql.UndefinedFunction: "42883",
    sql.AmbiguousFunction: "42725",
    sql.UndefinedObject: "42704",
    sql.UndefinedParameter: "42P02",
    sql.DatatypeMismatch: "42804",
    sql.IndeterminateDatatype: "42P18",
    sql.CannotCoerce: "42846",
    sql.AmbiguousParameter: "42P08",
    sql.GroupingError: "42803",
    sql.WindowingError: "42P20",
    sql.InvalidColumnReference: "42P10",
    sql.WrongObjectType: "42809",
    sql.InvalidTypeModifier: "22023",
    sql.InvalidRecursion: "42P19",
    sql.WrongSyntax: "42601",
    sql.NotUpdatable: "55000",  # object_not_in_prerequisite_state
    sql.SystemCatalog: "42501",  # insufficient_privilege
    CorrelatedRecursion: "0A000",  # feature_not_supported
    RowTypeError: "42804",
    # The catalog.
    catalog.CatalogError: "42000",
    catalog.UndefinedDatabase: "3D000",  # invalid_catalog_name
    catalog.InvalidSchemaName: "3F000",
    catalog.DuplicateDatabase: "42P04",
    catalog.DuplicateSchema: "42P06",
    catalog.DuplicateRelation: "42P07",
    catalog.DuplicateFunction: "42723",
    catalog.InvalidFunctionDefinition: "42P13",
    catalog.DuplicateObject: "42710",
    catalog.ReservedName: "42939",
    catalog.InvalidName: "42602",
    catalog.InvalidTableDefinition: "42P16",
    catalog.InvalidObjectDefinition: "42P17",
    catalog.InvalidParameter: "22023",  # invalid_parameter_value
    catalog.InvalidGrant: "0LP01",  # invalid_grant_operation
    catalog.NotMaintainable: "0A000",  # feature_not_supported
    catalog.BrokenView: "55000",  # object_not_in_prerequisite_state
    catalog.ObjectInUse: "55006",
    catalog.InsufficientPrivilege: "42501",
    catalog.DependentObjects: "2BP01",  # dependent_objects_still_exist
    catalog.UnreadableCatalog: "XX001",
    # The store.
    persist.AsOfBeforeSince: "22023",
    persist.ReadTimeout: "57P03",
    persist.LeaseExpired: "72000",  # snapshot_too_old
    persist.Fenced: "57P01",  # admin_shutdown: another writer took over
    persist.LockHeld: "55006",  # object_in_use
    TakenOverMeanwhile: "55006",
    persist.Stopped: "57P01",
    persist.ReadOnly: "25006",  # read_only_sql_transaction
    persist.NewerEncoding: "0A000",
    persist.UnknownCollection: "42P01",
    persist.SchemaMismatch: "42804",
    persist.CorruptPart: "XX001",
    persist.CorruptMetadata: "XX001",
    persist.MergeMismatch: "XX001",
    persist.MetadataUnavailable: "57P03",
    persist.MetadataOutcomeUnknown: "40003",
    BlobUnavailable: "57P03",
    # Between client and server.
    client.ProtocolViolation: "08P01",
    client.MessageMalformed: "08P01",
    client.MessageTooLong: "54000",  # program_limit_exceeded
    client.ClientGone: "08006",  # connection_failure
    client.CopyFailed: "57014",  # query_canceled
    client.PasswordRefused: "28P01",
    client.ServerStopping: "57P01",  # admin_shutdown
    client.PortalNotRunnable: "55000",  # object_not_in_prerequisite_state
    client.InternalError: "XX000",
    client.UnsafeAddress: "F0000",  # config_file_error
    client.SettingInvalid: "F0000",
    client.CannotListen: "58030",  # io_error
    client.RequestMalformed: "08P01",
    client.CrossSite: "28000",  # invalid_authorization_specification
    FolderHeld: "55006",
    # The session.
    session.ActiveTransaction: "25001",
    session.NoActiveTransaction: "25P01",
    session.FailedTransaction: "25P02",  # in_failed_sql_transaction
    session.InvalidTransactionState: "25000",
    session.ReadOnlyTransaction: "25006",
    session.InvalidStatementName: "26000",
    session.DuplicatePreparedStatement: "42P05",
    session.ChangedResultType: "0A000",
    session.InvalidCursorName: "34000",
    session.DuplicateCursor: "42P03",
    session.UnknownVariable: "42704",
    session.InvalidVariableValue: "22023",
    session.ReadOnlyVariable: "55P02",  # cant_change_runtime_param
    session.InvalidOption: "22023",
    session.InvalidSubscription: "22023",
    session.NotNullViolation: "23502",
    session.ConcurrentDrop: "42P01",  # undefined_table
    session.NegativeCount: "XX001",
    session.NoTimestamp: "22023",
    session.TooStale: "40001",
    session.StatementCancelled: "57014",  # query_canceled
    session.SessionEnded: "57P01",
    session.IdleInTransaction: "25P03",
    session.TooManySessions: "53300",
    session.LoginRefused: "28000",  # invalid_authorization_specification
    session.WrongParameterCount: "08P01",  # protocol_violation
    session.BadCopyFormat: "22P04",
    # Spark.
    SparkUnavailable: "57P03",
    JavaUnavailable: "57P03",
    SparkJobFailed: "XX000",
    SparkReadFailed: "58030",  # io_error
}


def sqlstate(error: HoldfastError) -> str:
    """The code of the most specific class that has one."""
    return next(SQLSTATE[cls] for cls in type(error).__mro__ if cls in SQLSTATE)
