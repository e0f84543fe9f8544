"""Bytes in one of the text formats to tables: as many lines at once as have come, the plain way where it is exact."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapter.copy.fields import Fields, fields_of
from holdfast.adapter.copy.layout import layout_of
from holdfast.adapter.copy.lines import Lines
from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.copy.place import check_length, located
from holdfast.adapter.copy.plain import Plain, plain_lines
from holdfast.adapter.copy.typed import column_of
from holdfast.adapter.errors import BadCopyFormat
from holdfast.compute.evaluate.values import to_arrow
from holdfast.errors import HoldfastError
from holdfast.plan.errors import DataError
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import Type, arrow_type
from holdfast.plan.utf8 import text_of_utf8

BLOCK = 4 << 20
"""Bytes that are read at once, unless a line is longer."""

_SHOWN = 100
"""Bytes of a line or value that an error shows."""


class TextDecoder:
    """Holds what came since the last whole line of the last block."""

    def __init__(
        self, options: CopyOptions, columns: Sequence[tuple[str, Type]], relation: str, block: int = BLOCK
    ) -> None:
        self._options, self._relation = options, relation
        self._names = [name for name, _ in columns]
        self._types = [type_ for _, type_ in columns]
        self._schema = pa.schema([(name, arrow_type(type_)) for name, type_ in columns])
        self._layout = layout_of(options)
        self._not_null = options.forced("force_not_null", self._names)
        self._null = options.forced("force_null", self._names)
        self._lines = Lines(self._layout)
        self._header = options.header
        self._pieces: list[bytes] = []
        self._block, self._held, self._enough = block, 0, block

    def feed(self, data: bytes) -> list[pa.Table]:
        if self._lines.over:
            return []
        self._pieces.append(data)
        self._held += len(data)
        return self._read(last=False) if self._held >= self._enough else []

    def finish(self) -> list[pa.Table]:
        return [] if self._lines.over else self._read(last=True)

    def _read(self, *, last: bool) -> list[pa.Table]:
        lines = self._lines
        lines.data, lines.at = b"".join(self._pieces), 0
        tables = [table for table in self._tables(last=last) if table.num_rows]
        rest = lines.data[lines.at :]
        check_length(len(rest))
        self._pieces, self._held = [rest], len(rest)
        # A line that is longer than a block is not looked at again for each few bytes more.
        self._enough = max(self._block, 2 * len(rest))
        lines.data, lines.at = b"", 0
        return tables

    def _tables(self, *, last: bool) -> list[pa.Table]:
        lines = self._lines
        if self._header and not self._pass_header(last=last):
            return []
        found: list[pa.Table] = []
        ending = lines.first_ending()
        if ending is not None:
            plain = plain_lines(lines.data[lines.at :], self._layout, ending, len(self._types), lines.counted)
            table = None if plain is None else self._plain_table(plain)
            if plain is not None and table is not None:
                found.append(table)
                lines.at += plain.length
                lines.number += plain.lines
                lines.ending = ending
                if not last:
                    return found
        found.append(self._exact_table(last=last))
        return found

    def _plain_table(self, plain: Plain) -> pa.Table | None:
        """The values, or None if one of them is wrong: which is the first, and on which line, is for the exact way."""
        columns = []
        mark, nothing = self._options.null, pa.scalar(None, pa.string())
        for texts, type_, not_null, null in zip(plain.columns, self._types, self._not_null, self._null, strict=True):
            seen = pc.if_else(pc.equal(texts, mark), nothing, texts) if null else texts
            if not_null:
                seen = pc.if_else(pc.is_null(texts), mark, seen)
            try:
                columns.append(column_of(seen, type_))
            except DataError:
                return None
        return pa.Table.from_arrays(columns, schema=self._schema)

    def _exact_table(self, *, last: bool) -> pa.Table:
        rows: list[list[str | None]] = []
        numbers: list[int] = []
        failure: HoldfastError | None = None
        try:
            while (line := self._next(last=last)) is not None:
                row = self._row(line)
                numbers.append(self._lines.number)
                rows.append(row)
        except HoldfastError as error:
            failure = error
        columns = [pa.array([row[index] for row in rows], pa.string()) for index in range(len(self._types))]
        try:
            values = [column_of(texts, type_) for texts, type_ in zip(columns, self._types, strict=True)]
        except DataError:
            for row, number in zip(rows, numbers, strict=True):
                self._check(row, number)
            raise
        if failure is not None:
            raise failure
        if not values:
            return pa.table({"": pa.nulls(len(rows))}).select([])
        return pa.Table.from_arrays(values, schema=self._schema)

    def _next(self, *, last: bool) -> bytes | None:
        lines = self._lines
        try:
            line = lines.next(last=last)
            if line is not None:
                text_of_utf8(line)
        except HoldfastError as error:
            raise located(error, self._at(lines.number)) from None
        return line

    def _row(self, line: bytes) -> list[str | None]:
        """The fields of a line, one for each column."""
        number = self._lines.number
        try:
            # Without columns, only an empty line is a row.
            fields = fields_of(line, self._layout) if self._types else [line] if line else []
            row = [None if field is None else text_of_utf8(field) for field in fields]
            if len(row) > len(self._types):
                raise BadCopyFormat("extra data after last expected column")
            row = [self._forced(text, index) for index, text in enumerate(row)]
        except HoldfastError as error:
            raise located(error, f'{self._at(number)}: "{_cut(line)}"') from None
        if len(row) < len(self._types):
            self._check(row, number)
            missing = BadCopyFormat(f'missing data for column "{self._names[len(row)]}"')
            raise located(missing, f'{self._at(number)}: "{_cut(line)}"')
        return row

    def _forced(self, text: str | None, index: int) -> str | None:
        if text is None:
            return self._options.null if self._not_null[index] else None
        return None if self._null[index] and text == self._options.null else text

    def _check(self, row: Sequence[str | None], number: int) -> None:
        """Read the values of a row one by one, as far as it goes."""
        for text, name, type_ in zip(row, self._names, self._types, strict=False):
            if text is None:
                continue
            try:
                to_arrow([read_of(type_)(text)], type_)
            except HoldfastError as error:
                raise located(error, f'{self._at(number)}, column {name}: "{_cut(text.encode())}"') from None

    def _at(self, number: int) -> str:
        return f"COPY {self._relation}, line {number}"

    def _pass_header(self, *, last: bool) -> bool:
        """Whether the line of names has come; it is passed over."""
        line = self._next(last=last)
        if line is None:
            return False
        if self._header == "match":
            try:
                self._match(fields_of(line, self._layout))
            except HoldfastError as error:
                raise located(error, f'{self._at(self._lines.number)}: "{_cut(line)}"') from None
        self._header = False
        return True

    def _match(self, fields: Fields) -> None:
        if len(fields) != len(self._names):
            count = f"got {len(fields)}, expected {len(self._names)}"
            raise BadCopyFormat(f"wrong number of fields in header line: {count}")
        for index, (field, name) in enumerate(zip(fields, self._names, strict=True), start=1):
            text = None if field is None else text_of_utf8(field)
            if text != name:
                got = f'null value ("{self._options.null}")' if text is None else f'"{text}"'
                mismatch = f"column name mismatch in header line field {index}"
                raise BadCopyFormat(f'{mismatch}: got {got}, expected "{name}"')


def _cut(data: bytes) -> str:
    if len(data) <= _SHOWN:
        return data.decode(errors="replace")
    return data[:_SHOWN].decode(errors="ignore") + "..."
