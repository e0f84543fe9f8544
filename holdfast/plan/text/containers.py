"""Text of all types that hold values of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from holdfast.plan.text import arrays, lists, ranges, records
from holdfast.plan.text.contract import TextCodec
from holdfast.plan.types import Type

CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {
    **arrays.CODECS,
    **lists.CODECS,
    **records.CODECS,
    **ranges.CODECS,
}
