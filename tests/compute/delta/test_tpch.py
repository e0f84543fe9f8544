"""TPC-H's queries as views, while rows of all its tables come, go and change."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from random import Random

import pytest

from holdfast.compute.delta import program
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.types import DATE, INT4, INT8, TEXT
from holdfast.sql import plan_query
from tests.compute.delta.lives import Life, Row
from tests.compute.delta.streams import Stream
from tests.tpch.data import QUERIES, SCHEMA, TpchCatalog, columns

SIZES = {
    "region": 4,
    "nation": 6,
    "supplier": 10,
    "part": 16,
    "partsupp": 60,
    "customer": 24,
    "orders": 50,
    "lineitem": 220,
}
"""How many rows there are at first."""

TEXTS: dict[str, tuple[str, ...]] = {
    "r_name": ("AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"),
    "n_name": ("FRANCE", "GERMANY", "CANADA", "SAUDI ARABIA", "BRAZIL", "INDIA"),
    "p_name": ("forest green", "dim green"),
    "p_brand": ("Brand#12", "Brand#23", "Brand#34", "Brand#45"),
    "p_type": ("ECONOMY ANODIZED STEEL", "SMALL BRASS", "PROMO PLATED TIN", "MEDIUM POLISHED TIN"),
    "p_container": ("SM BOX", "MED BOX", "LG BOX"),
    "s_comment": ("none", "Customer said Complaints"),
    "c_mktsegment": ("BUILDING", "MACHINERY"),
    "c_phone": ("13-100", "31-200", "31-300", "99-300"),
    "o_orderstatus": ("F", "O"),
    "o_orderpriority": ("1-URGENT", "2-HIGH", "5-LOW"),
    "o_comment": ("none", "special packages requests"),
    "l_returnflag": ("R", "N"),
    "l_linestatus": ("F", "O"),
    "l_shipmode": ("AIR", "MAIL", "SHIP", "AIR REG"),
    "l_shipinstruct": ("DELIVER IN PERSON", "NONE"),
}
"""What the queries ask for, and something else."""

NUMBERS: dict[str, tuple[int, ...]] = {"p_size": (15, 3, 9, 49), "o_shippriority": (0, 1), "l_linenumber": (1, 2, 3)}
MONEY: dict[str, tuple[str, ...]] = {
    "l_quantity": ("1", "5", "10", "22", "160"),
    "l_discount": ("0", "0.05", "0.06", "0.07"),
    "l_tax": ("0", "0.08"),
}
DAYS = tuple(
    (date(year, month, 20) - date(1970, 1, 1)).days
    for year, month in ((1993, 8), (1993, 11), (1994, 5), (1994, 9), (1995, 2), (1995, 9), (1996, 2), (1998, 11))
)
KEYS = {
    **dict.fromkeys(("r_regionkey", "n_regionkey"), 4),
    **dict.fromkeys(("n_nationkey", "s_nationkey", "c_nationkey"), 6),
    **dict.fromkeys(("s_suppkey", "ps_suppkey", "l_suppkey"), 5),
    **dict.fromkeys(("p_partkey", "ps_partkey", "l_partkey"), 5),
    "c_custkey": 24,
    "o_custkey": 12,
    **dict.fromkeys(("o_orderkey", "l_orderkey"), 25),
}
"""Keys and references to them, from as many values: some are double, and some lead nowhere."""


def tpch_row(random: Random, table: str, _: int) -> Row:
    """The dates of a row are often in order."""
    days = iter(random.choice((list, sorted))(random.choices(DAYS, k=3)))
    return tuple(next(days) if type_ is DATE else _value(random, name) for name, type_ in columns(table))


def _value(random: Random, name: str) -> object:
    type_ = next(type_ for table in SCHEMA for column, type_ in columns(table) if column == name)
    if type_ is INT8:
        return random.randrange(KEYS[name])
    if type_ is INT4:
        return random.choice(NUMBERS.get(name, (1, 7, 50)))
    if type_ is TEXT:
        return random.choice(TEXTS.get(name, ("x", "y")))
    return Decimal(random.choice(MONEY.get(name, ("0.10", "100", "2500.55"))))


def refreshed(seed: int, times: int) -> Stream:
    """Tables as they are at first, then changed at each of some times."""
    random = Random(seed)
    stream = Stream(random, {table: columns(table) for table in SCHEMA}, tpch_row)
    for table, size in SIZES.items():
        rows = [tpch_row(random, table, 0) for _ in range(size)]
        # At first there are all the regions and nations that queries ask for, each once.
        if table in ("region", "nation"):
            names = TEXTS["r_name" if table == "region" else "n_name"]
            rows = [(place, names[place], *row[2:]) for place, row in enumerate(rows)]
        for row in rows:
            stream.insert(table, 5, row)
    for time in range(10, 10 + times):
        stream.happen(time, random.choice((0, 1, 6, 15)))
    return stream


def lived(number: int, seed: int, times: int) -> Life:
    histories = refreshed(seed, times).histories()
    life = Life(program(decorrelate(plan_query(QUERIES[number], TpchCatalog()).plan)), histories, f"q{number}")
    assert life.hydrate(9)
    upper, random = 10, Random(seed)
    while upper < 10 + times:
        upper = min(10 + times, upper + random.randrange(1, 3))
        # A quotient of sums has none for a divisor while there are no rows.
        life.try_to_live(upper)
        if random.randrange(3) == 0:
            life.restart()
    return life


@pytest.mark.parametrize("number", QUERIES)
def test_a_view_of_tpch_is_what_its_query_is_from_scratch(number: int) -> None:
    """With the first tables of which it makes rows that change."""
    lives = (lived(number, seed, 5) for seed in range(number, number + 20))
    assert any(life.steps[0].output.rows and any(made.output.rows for made in life.steps[1:]) for life in lives)


@pytest.mark.slow
@pytest.mark.parametrize("number", QUERIES)
def test_a_view_of_tpch_is_right_for_long(number: int) -> None:
    for seed in range(1000, 1020):
        lived(number, seed, 30)
