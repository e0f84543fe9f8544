"""Timestamps in text whose order is that of the text, so that a filter on them can skip parts of a collection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from holdfast.plan.functions.function import Family, Function
from holdfast.plan.functions.spark_text import quoted
from holdfast.plan.types import TEXT, TIMESTAMP, Type

_FORM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
_JAVA_FORM = quoted(rf"^{_FORM}\z")
_MATCH = re.compile(_FORM).fullmatch
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _try_parse(text: str) -> int | None:
    """Null for all but `YYYY-MM-DDThh:mm:ss.sssZ`."""
    if _MATCH(text) is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    elapsed = moment - _EPOCH
    return (elapsed.days * 86400 + elapsed.seconds) * 1_000_000 + elapsed.microseconds


def _spark_try_parse(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    text = arguments[0]
    # Spark has a year zero, unlike Python and PostgreSQL.
    year_zero = f"startswith({text}, '0000')"
    return (
        f"CASE WHEN {text} RLIKE {_JAVA_FORM} AND NOT {year_zero} THEN TRY_CAST(left({text}, 23) AS TIMESTAMP_NTZ) END"
    )


FAMILY = Family(
    "Timestamps in text",
    functions=(
        Function(
            "try_parse_monotonic_iso8601_timestamp",
            (TEXT,),
            TIMESTAMP,
            _try_parse,
            _spark_try_parse,
            makes_null=True,
            doc="The timestamp that a text in ISO 8601 is, or null; its order is that of the texts.",
        ),
    ),
)
