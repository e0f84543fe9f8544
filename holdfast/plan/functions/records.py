"""Records: rows as values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from holdfast.errors import UsageError
from holdfast.plan.functions.function import Any, Family, Function
from holdfast.plan.types import Record, Type, record_of


def _made(*values: object) -> tuple[object, ...]:
    return values


def _made_type(types: Sequence[Type]) -> Type:
    return record_of(tuple(f"f{number}" for number in range(1, len(types) + 1)), tuple(types))


def _spark_made(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    fields = (f"'f{number}', {text}" for number, text in enumerate(texts, start=1))
    return f"named_struct({', '.join(fields)})"


@lru_cache(maxsize=1024)
def field(index: int) -> Function:
    """The field of a record at a place, from 0."""

    def python(record: Sequence[object]) -> object:
        return record[index]

    def result(types: Sequence[Type]) -> Type:
        if not isinstance(types[0], Record):
            raise UsageError(f"{types[0]} has no fields")
        return types[0].types[index]

    return Function(
        f"field {index + 1}",
        (Any.RECORD,),
        result,
        python,
        f"({{0}}).f{index + 1}",
        makes_null=True,
        doc="A field of a record.",
    )


FAMILY = Family(
    "Records",
    functions=(
        Function("row", (), _made_type, _made, doc="A record without fields: `ROW()`."),
        Function(
            "row",
            (Any.ANY,),
            _made_type,
            _made,
            _spark_made,
            strict=False,
            variadic=True,
            doc="A record of the arguments: `ROW(...)`.",
        ),
    ),
)
