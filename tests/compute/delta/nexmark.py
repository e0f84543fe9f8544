"""Nexmark: people, auctions and bids, and what it asks of them, with milliseconds in place of its seconds."""

from __future__ import annotations

from random import Random

from holdfast.plan.types import INT8, TEXT, TIMESTAMP, Type
from tests.compute.delta.lives import Row

Columns = tuple[tuple[str, Type], ...]

TABLES: dict[str, Columns] = {
    "person": (("id", INT8), ("name", TEXT), ("city", TEXT), ("state", TEXT), ("date_time", TIMESTAMP)),
    "auction": (
        ("id", INT8),
        ("item_name", TEXT),
        ("initial_bid", INT8),
        ("reserve", INT8),
        ("date_time", TIMESTAMP),
        ("expires", TIMESTAMP),
        ("seller", INT8),
        ("category", INT8),
    ),
    "bid": (
        ("auction", INT8),
        ("bidder", INT8),
        ("price", INT8),
        ("channel", TEXT),
        ("url", TEXT),
        ("date_time", TIMESTAMP),
        ("extra", TEXT),
    ),
}

AUCTIONS, PEOPLE = range(120, 127), range(1, 6)
MILLISECOND = 1000
"""In microseconds, which a timestamp counts."""

_CHANNELS = ("Apple", "google", "FACEBOOK", "channel-1")
_URLS = (
    "https://www.nexmark.com/abo/item.htm?query=1&channel_id=7",
    "https://www.nexmark.com/kid/list/item.htm?query=1",
    "none",
)


def nexmark_row(random: Random, table: str, time: int) -> Row:
    """What happens about a time."""
    now = max(0, time - random.choice((0, 0, 0, 1, 4))) * MILLISECOND
    if table == "person":
        place = random.choice((("Boise", "ID"), ("Portland", "OR"), ("Paris", "FR")))
        return (random.choice(PEOPLE), random.choice(("ann", "bob")), *place, now)
    if table == "auction":
        ends = now + random.choice((2, 6, 15)) * MILLISECOND
        start, reserve = random.choice(((1, 5), (10, 20)))
        return (
            *(random.choice(AUCTIONS), random.choice(("lamp", "chair")), start, reserve, now, ends),
            *(random.choice(PEOPLE), random.choice((10, 10, 11))),
        )
    return (
        *(random.choice(AUCTIONS), random.choice(PEOPLE), random.choice((90, 20_000, 1_500_000, 2_000_000))),
        *(random.choice(_CHANNELS), random.choice(_URLS), now, random.choice(("abc", "ccc", ""))),
    )


_DAY = "to_char(date_time, 'YYYY-MM-DD')"
_WINDOW = "date_bin('10 milliseconds', date_time, timestamp '1970-01-01')"
_COUNTS = """count(*) AS total,
    count(*) FILTER (WHERE price < 10000) AS rank1,
    count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS rank2,
    count(*) FILTER (WHERE price >= 1000000) AS rank3"""
_DIFFERENT = ",\n    ".join(
    f"count(DISTINCT {column}) AS {column}s, count(DISTINCT {column}) FILTER (WHERE price < 10000) AS {column}s1"
    for column in ("bidder", "auction")
)
_FINAL = """SELECT a.id, a.category, a.seller, a.expires, max(b.price) AS final FROM auction a, bid b
    WHERE a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
    GROUP BY a.id, a.category, a.seller, a.expires"""

QUERIES: dict[int, str] = {
    0: "SELECT auction, bidder, price, date_time, extra FROM bid",
    1: "SELECT auction, bidder, 0.908 * price AS price, date_time, extra FROM bid",
    2: "SELECT auction, price FROM bid WHERE auction % 123 = 0",
    3: """SELECT p.name, p.city, p.state, a.id FROM auction a JOIN person p ON a.seller = p.id
        WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA')""",
    4: f"SELECT category, avg(final) FROM ({_FINAL}) q GROUP BY category",
    5: """WITH counts AS (
            SELECT auction, start, count(*) AS num
            FROM (SELECT auction, date_bin('2 milliseconds', date_time, timestamp '1970-01-01') AS last FROM bid) b,
                LATERAL generate_series(last - interval '8 milliseconds', last, interval '2 milliseconds') AS start
            GROUP BY auction, start)
        SELECT c.auction, c.num, c.start FROM counts c
        JOIN (SELECT start, max(num) AS most FROM counts GROUP BY start) m ON c.start = m.start AND c.num >= m.most""",
    6: f"""SELECT seller, avg(final) OVER (PARTITION BY seller ORDER BY expires, id, final
        ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) FROM ({_FINAL}) q""",
    7: f"""SELECT b.auction, b.price, b.bidder, b.date_time FROM bid b
        JOIN (SELECT max(price) AS most, {_WINDOW} AS start FROM bid GROUP BY 2) m ON b.price = m.most
        WHERE b.date_time >= m.start AND b.date_time < m.start + interval '10 milliseconds'""",
    8: f"""SELECT p.id, p.name, p.start FROM (SELECT id, name, {_WINDOW} AS start FROM person GROUP BY 1, 2, 3) p
        JOIN (SELECT seller, {_WINDOW} AS start FROM auction GROUP BY 1, 2) a
        ON p.id = a.seller AND p.start = a.start""",
    9: """SELECT id, item_name, seller, auction, bidder, price, bid_time FROM (
            SELECT a.id, a.item_name, a.seller, b.auction, b.bidder, b.price, b.date_time AS bid_time,
                row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.date_time, b.bidder, a.seller) AS place
            FROM auction a, bid b WHERE a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires) q
        WHERE place = 1""",
    12: """SELECT bidder, count(*) FROM bid
        WHERE mz_now() >= date_time AND mz_now() < date_time + interval '5 milliseconds' GROUP BY bidder""",
    13: """SELECT b.auction, b.bidder, b.price, s.value FROM bid b
        JOIN (VALUES (0, 'zero'), (1, 'one'), (2, 'two')) AS s (key, value) ON b.auction % 4 = s.key""",
    14: """SELECT auction, bidder, 0.908 * price AS price,
            CASE WHEN extract(second FROM date_time) >= 8 AND extract(second FROM date_time) <= 18 THEN 'dayTime'
                WHEN extract(second FROM date_time) <= 6 OR extract(second FROM date_time) >= 20 THEN 'nightTime'
                ELSE 'otherTime' END AS bid_time_type,
            length(extra) - length(replace(extra, 'c', '')) AS c_counts
        FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000""",
    15: f"SELECT {_DAY} AS day, {_COUNTS}, {_DIFFERENT} FROM bid GROUP BY 1",
    16: f"""SELECT channel, {_DAY} AS day, max(to_char(date_time, 'HH24:MI')) AS minute, {_COUNTS}, {_DIFFERENT}
        FROM bid GROUP BY 1, 2""",
    17: f"""SELECT auction, {_DAY} AS day, {_COUNTS}, min(price), max(price), avg(price), sum(price)
        FROM bid GROUP BY 1, 2""",
    18: """SELECT auction, bidder, price, channel, date_time FROM (
            SELECT *, row_number() OVER (PARTITION BY bidder, auction ORDER BY date_time DESC, price, channel) AS place
            FROM bid) q WHERE place <= 1""",
    19: """SELECT * FROM (
            SELECT *, row_number() OVER (
                PARTITION BY auction ORDER BY price DESC, date_time, bidder, channel, url, extra) AS place
            FROM bid) q WHERE place <= 10""",
    20: """SELECT b.auction, b.bidder, b.price, b.channel, a.item_name, a.initial_bid, a.seller FROM bid b
        JOIN auction a ON b.auction = a.id WHERE a.category = 10""",
    21: """SELECT auction, bidder, price, channel, CASE WHEN lower(channel) = 'apple' THEN '0'
            WHEN lower(channel) = 'google' THEN '1' WHEN lower(channel) = 'facebook' THEN '2'
            ELSE (regexp_match(url, '(&|^)channel_id=([^&]*)'))[2] END AS channel_id
        FROM bid WHERE (regexp_match(url, '(&|^)channel_id=([^&]*)'))[2] IS NOT NULL
            OR lower(channel) IN ('apple', 'google', 'facebook')""",
    22: """SELECT auction, bidder, price, channel, split_part(url, '/', 4) AS dir1, split_part(url, '/', 5) AS dir2,
            split_part(url, '/', 6) AS dir3 FROM bid""",
}
"""Its windows of processing time are those of `mz_now()`. The tenth writes files, the eleventh is about sessions."""
