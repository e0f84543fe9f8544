"""The registry: all functions, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import TypeVar

from holdfast.plan.functions import (
    aggregates,
    arithmetic,
    array_order,
    arrays,
    binary,
    catalog,
    collecting,
    comparison,
    date_casts,
    date_difference,
    date_fields,
    date_make,
    date_trunc,
    dates,
    encodings,
    extracting,
    formatting,
    hashes,
    identifiers,
    internal,
    intervals,
    joining,
    json,
    json_build,
    json_change,
    jsonpath,
    like,
    lists,
    maps,
    monotonic,
    number_casts,
    number_text,
    patterns,
    percentiles,
    powers,
    quoting,
    ranges,
    records,
    regexp,
    rounding,
    series,
    server,
    statistics,
    strings,
    sums,
    system,
    text_casts,
    timezones,
    trigonometry,
    type_names,
    whole_numbers,
    windows,
)
from holdfast.plan.functions.function import Aggregate, Cast, Family, Function, TableFunction, WindowFunction

FAMILIES: tuple[Family, ...] = (
    comparison.FAMILY,
    arithmetic.FAMILY,
    powers.FAMILY,
    rounding.FAMILY,
    trigonometry.FAMILY,
    whole_numbers.FAMILY,
    number_casts.FAMILY,
    number_text.FAMILY,
    strings.FAMILY,
    joining.FAMILY,
    quoting.FAMILY,
    text_casts.FAMILY,
    like.FAMILY,
    patterns.FAMILY,
    regexp.FAMILY,
    extracting.FAMILY,
    binary.FAMILY,
    encodings.FAMILY,
    hashes.FAMILY,
    identifiers.FAMILY,
    monotonic.FAMILY,
    dates.FAMILY,
    date_trunc.FAMILY,
    date_difference.FAMILY,
    date_fields.FAMILY,
    date_make.FAMILY,
    date_casts.FAMILY,
    intervals.FAMILY,
    timezones.FAMILY,
    formatting.FAMILY,
    json.FAMILY,
    json_build.FAMILY,
    json_change.FAMILY,
    jsonpath.FAMILY,
    arrays.FAMILY,
    array_order.FAMILY,
    lists.FAMILY,
    maps.FAMILY,
    ranges.FAMILY,
    records.FAMILY,
    series.FAMILY,
    aggregates.FAMILY,
    sums.FAMILY,
    collecting.FAMILY,
    statistics.FAMILY,
    percentiles.FAMILY,
    windows.FAMILY,
    system.FAMILY,
    type_names.FAMILY,
    catalog.FAMILY,
    server.FAMILY,
    internal.FAMILY,
)

Named = TypeVar("Named", Function, Aggregate, WindowFunction, TableFunction)


def _by_name(members: Callable[[Family], Iterable[Named]]) -> Mapping[str, tuple[Named, ...]]:
    """Overloads by name, also under the other names that a family gives them."""
    found: dict[str, list[Named]] = {}
    for member in chain.from_iterable(members(family) for family in FAMILIES):
        found.setdefault(member.name, []).append(member)
    for family in FAMILIES:
        own = {member.name for member in members(family)}
        for alias, name in family.aliases.items():
            if name in own:
                found.setdefault(alias, []).extend(found[name])
    return {name: tuple(overloads) for name, overloads in found.items()}


FUNCTIONS = _by_name(lambda family: family.functions)
OPERATORS = _by_name(lambda family: family.operators)
AGGREGATES = _by_name(lambda family: family.aggregates)
WINDOWS = _by_name(lambda family: family.windows)
TABLES = _by_name(lambda family: family.tables)
CASTS: Mapping[tuple[str, str], Cast] = {
    (cast.source, cast.target): cast for family in FAMILIES for cast in family.casts
}
"""By the bases of source and target."""
