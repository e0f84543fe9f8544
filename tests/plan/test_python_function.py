"""Functions that users wrote in Python: what they take, what they may return, and what they are told is wrong."""

from __future__ import annotations

import pickle
from decimal import Decimal

import pytest

from holdfast.plan.errors import (
    DataError,
    DatatypeMismatch,
    ExternalRoutineError,
    NumericValueOutOfRange,
    SyntaxErrorInValue,
)
from holdfast.plan.functions.function import Types
from holdfast.plan.python_function import PythonFunction, is_parameter, python_function
from holdfast.plan.python_results import is_convertible
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    INTERVAL,
    JSONB,
    NUMERIC,
    REGCLASS,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    VOID,
    Interval,
    RangeValue,
    Type,
    array_of,
    list_of,
    map_of,
    record_of,
)


def run(body: str, result: Type, *arguments: tuple[Type, object]) -> object:
    types = Types(tuple(type_ for type_, _ in arguments), result)
    names = tuple(f"arg{place}" for place in range(1, len(arguments) + 1))
    return PythonFunction("f", names, body, result)(types, *(value for _, value in arguments))


PAIR = record_of(("a", "b"), (INT4, TEXT), "pair")
VALUES: list[tuple[Type, object]] = [
    (BOOL, True),
    (INT2, -32768),
    (INT4, 2147483647),
    (INT8, -(2**63)),
    (FLOAT4, 1.5),
    (FLOAT8, 0.1),
    (NUMERIC, Decimal("12.340000000000000000")),
    (TEXT, "naïve \U0001f600"),
    (BYTEA, b"\x00\xff"),
    (DATE, 19000),
    (DATE, 2**31 - 1),
    (TIME, 86_399_999_999),
    (TIMESTAMP, -1),
    (TIMESTAMP, 2**63 - 1),
    (TIMESTAMPTZ, 1_700_000_000_000_001),
    (INTERVAL, Interval(0, -3, 5)),
    (UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    (JSONB, '{"a": [1, null, "x"]}'),
    (JSONB, '"text"'),
    (INT4RANGE, RangeValue(1, 5, True, False)),
    (array_of(INT4), (1, None, 3)),
    (list_of(TEXT), ("a", None)),
    (map_of(INT8), (("a", 1), ("b", None))),
    (PAIR, (1, None)),
    (INT4, None),
]


@pytest.mark.parametrize(("type_", "value"), VALUES)
def test_what_a_function_is_given_it_can_return(type_: Type, value: object) -> None:
    assert run("return arg1", type_, (type_, value)) == value


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (INT4, "int"),
        (NUMERIC, "Decimal"),
        (DATE, "date"),
        (TIME, "time"),
        (TIMESTAMP, "datetime"),
        (INTERVAL, "timedelta"),
        (UUID, "UUID"),
        (JSONB, "dict"),
        (BYTEA, "bytes"),
        (array_of(INT4), "list"),
        (map_of(INT8), "dict"),
        (PAIR, "tuple"),
    ],
)
def test_arguments_are_of_pythons_own_types(type_: Type, expected: str) -> None:
    value = next(value for of, value in VALUES if of is type_)
    assert run("return type(arg1).__name__", TEXT, (type_, value)) == expected


@pytest.mark.parametrize(
    ("body", "type_", "message"),
    [
        ("return 1.5", INT4, "returned a value of type float where integer is expected"),
        ("return True", INT4, "returned a value of type bool where integer is expected"),
        ("return 1", BOOL, "returned a value of type int where boolean is expected"),
        ("return 1", TEXT, "returned a value of type int where text is expected"),
        ("return b'x'", TEXT, "returned a value of type bytes where text is expected"),
        ("return 1.5", NUMERIC, "returned a value of type float where numeric is expected"),
        ("return [[1]]", array_of(INT4), "returned a value of type list where integer is expected"),
        ("return {1: 1}", map_of(INT4), "returned a value of type dict where map[text=>integer] is expected"),
        ("return (1,)", PAIR, "returned a value of type tuple where pair is expected"),
        ("return 'a\\0'", TEXT, "returned a text with a NUL character where text is expected"),
        (
            "import datetime\nreturn datetime.datetime(2020, 1, 1)",
            TIMESTAMPTZ,
            "returned a datetime without a time zone where timestamp with time zone is expected",
        ),
        (
            "import datetime\nreturn datetime.datetime.fromtimestamp(0, datetime.UTC)",
            TIMESTAMP,
            "returned a datetime with a time zone where timestamp without time zone is expected",
        ),
    ],
)
def test_a_value_of_another_type_is_refused(body: str, type_: Type, message: str) -> None:
    with pytest.raises(DatatypeMismatch) as raised:
        run(body, type_)
    assert str(raised.value) == f"function f: {message}"


@pytest.mark.parametrize(
    ("body", "type_"),
    [("return 2**31", INT4), ("return -1", Type("uint4")), ("return 10**400", FLOAT8), ("return 10**30", NUMERIC)],
)
def test_a_number_must_fit(body: str, type_: Type) -> None:
    with pytest.raises(NumericValueOutOfRange, match=r"^function f: "):
        run(body, type_)


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(DatatypeMismatch, match="no JSON"):
        run("return {1, 2}", JSONB)
    with pytest.raises(DatatypeMismatch, match="no JSON"):
        run("return float('nan')", JSONB)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 1 // 0", "function f: ZeroDivisionError: integer division or modulo by zero"),
        ("raise SystemExit(3)", "function f: SystemExit: 3"),
        ("raise KeyError", "function f: KeyError"),
        ("raise ValueError('a\\0b')", "function f: ValueError: a\ufffdb"),
        ("return f()", "function f: RecursionError: maximum recursion depth exceeded"),
        ("class L(list):\n  def __iter__(self): raise OSError('no')\nreturn L()", "function f: OSError: no"),
    ],
)
def test_an_exception_is_an_error_of_the_data(body: str, message: str) -> None:
    with pytest.raises(ExternalRoutineError) as raised:
        run(body, array_of(INT4) if "class" in body else INT4)
    assert str(raised.value) == message


def test_the_text_of_an_exception_is_cut() -> None:
    with pytest.raises(ExternalRoutineError) as raised:
        run("raise ValueError('x' * 100_000)", INT4)
    assert len(str(raised.value)) < 1100


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("\n\nreturn (", "function f: line 3: '(' was never closed"),
        (
            "if True:\n    return 1\n  return 2",
            "function f: line 3: unindent does not match any outer indentation level",
        ),
        ("x = 1\nbreak", "function f: line 2: 'break' outside loop"),
        ("yield 1", "function f: a function returns one value, it cannot yield"),
    ],
)
def test_a_body_that_is_no_python_is_refused_with_its_line(body: str, message: str) -> None:
    with pytest.raises(SyntaxErrorInValue) as raised:
        PythonFunction("f", (), body, INT4).check()
    assert str(raised.value) == message


def test_a_body_may_be_indented_and_empty() -> None:
    assert run("\n    x = 2\n    return x\n  ", INT4) == 2
    assert run("", INT4) is None


def test_a_function_may_call_itself() -> None:
    assert run("return arg1 * f(arg1 - 1) if arg1 else 1", INT8, (INT8, 5)) == 120


def test_calls_know_nothing_of_each_other() -> None:
    counting = "global n\ntry:\n    n += 1\nexcept NameError:\n    n = 1\nreturn n"
    precise = "import decimal\nold = decimal.getcontext().prec\ndecimal.getcontext().prec = 99\nreturn old"
    assert [run(counting, INT4) for _ in range(3)] == [1, 1, 1]
    assert [run(precise, INT4) for _ in range(2)] == [28, 28]


def test_a_function_can_be_sent_to_another_process() -> None:
    function = PythonFunction("f", ("a",), "return a + 1", INT4)
    again = pickle.loads(pickle.dumps(function))
    assert again == function
    assert again(Types((INT4,), INT4), 1) == 2


def test_the_same_function_is_the_same_to_plans() -> None:
    one = python_function(PythonFunction("f", ("a",), "return a", INT4), (INT4,), strict=False)
    again = python_function(PythonFunction("f", ("a",), "return a", INT4), (INT4,), strict=False)
    other = python_function(PythonFunction("f", ("a",), "return -a", INT4), (INT4,), strict=False)
    assert one is again
    assert one is not other
    assert one.fails
    assert one.makes_null
    assert one.stability == "immutable"


def test_only_types_that_python_has_values_for_are_convertible() -> None:
    assert all(is_convertible(type_) for type_, _ in VALUES)
    assert not any(is_convertible(type_) for type_ in (REGCLASS, VOID, array_of(REGCLASS), record_of(("a",), (INT4,))))


def test_parameters_are_names_of_python() -> None:
    assert is_parameter("größe")
    assert not any(map(is_parameter, ("class", "a b", "1a", "")))


def test_errors_of_reading_a_text_are_of_the_function() -> None:
    with pytest.raises(DataError, match=r'^function f: invalid input syntax for type uuid: "x"$'):
        run("return 'x'", UUID)
