"""How lines and fields of the text formats are told apart: by bytes that mean something, and by how lines end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.errors import BadCopyFormat
from holdfast.cached import cached_property

Ending: TypeAlias = Literal[b"\n", b"\r\n", b"\r"]

END_MARK = b"\\."
"""Alone on a line it ends data in the text format."""


@dataclass(frozen=True)
class Layout:
    """The options as bytes, and patterns that follow from them."""

    csv: bool
    delimiter: bytes
    null: bytes
    quote: bytes
    escape: bytes

    @cached_property
    def line(self) -> re.Pattern[bytes]:
        """From the start of a line up to what may end it: the end of a line, the end of the data, or an end mark."""
        if not self.csv:
            return re.compile(rb"(?:[^\\\r\n]++|\\[^.])*+", re.DOTALL)
        # Not possessive: before Python 3.11.5 that goes on from where the last try of the group has failed.
        return re.compile(rb"(?>(?:[^\r\n%b]++|%b)*)" % (re.escape(self.quote), self._quoted), re.DOTALL)

    @cached_property
    def field(self) -> re.Pattern[bytes]:
        delimiter = re.escape(self.delimiter)
        if not self.csv:
            return re.compile(rb"(?:[^\\%b]++|\\.)*+" % delimiter, re.DOTALL)
        return re.compile(rb"(?>(?:[^%b%b]++|%b)*)" % (delimiter, re.escape(self.quote), self._quoted), re.DOTALL)

    @cached_property
    def _quoted(self) -> bytes:
        """Between quotes. An escape stands before a quote or an escape, and else for itself."""
        quote, escape = re.escape(self.quote), re.escape(self.escape)
        if quote == escape:
            return rb"%b(?:[^%b]++|%b%b)*+%b" % (quote, quote, quote, quote, quote)
        return rb"%b(?:[^%b%b]++|%b.)*+%b" % (quote, quote, escape, escape, quote)

    @cached_property
    def part(self) -> re.Pattern[bytes]:
        """What stands between quotes, as a group."""
        return re.compile(self._quoted.replace(b"(?:", b"((?:", 1).replace(b")*+", b")*+)", 1), re.DOTALL)

    @cached_property
    def escaped(self) -> re.Pattern[bytes]:
        quote, escape = re.escape(self.quote), re.escape(self.escape)
        return re.compile(rb"%b([%b%b])" % (escape, quote, escape))


@lru_cache(maxsize=64)
def layout_of(options: CopyOptions) -> Layout:
    return Layout(
        options.format == "csv",
        options.delimiter.encode(),
        options.null.encode(),
        options.quote.encode(),
        options.escape.encode(),
    )


def stray_return(csv: bool) -> BadCopyFormat:
    if csv:
        hint = "Use quoted CSV field to represent carriage return."
        return BadCopyFormat("unquoted carriage return found in data", hint)
    return BadCopyFormat("literal carriage return found in data", 'Use "\\r" to represent carriage return.')


def stray_newline(csv: bool) -> BadCopyFormat:
    if csv:
        return BadCopyFormat("unquoted newline found in data", "Use quoted CSV field to represent newline.")
    return BadCopyFormat("literal newline found in data", 'Use "\\n" to represent newline.')
