"""Hashes: cases with PostgreSQL's answers."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions import hashes, text_casts
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(hashes.FAMILY, text_casts.FAMILY)

ANSWERS: list[tuple[str, object]] = [
    ("md5('a')", "0cc175b9c0f1b6a831c399e269772661"),
    ("md5('')", "d41d8cd98f00b204e9800998ecf8427e"),
    ("md5('é')", "66ddcd97cfdeabb2f6fb8a999b4bc76f"),
    (r"md5('\x61'::bytea)", "0cc175b9c0f1b6a831c399e269772661"),
    ("sha224('a'::bytea)", b"\xab\xd3u4\xc7\xd9\xa2\xef\xb9F]\xe91\xcdpU\xff\xdb\x88yV:\xe9\x80x\xd6\xd6\xd5"),
    (
        "sha256('a'::bytea)",
        b"\xca\x97\x81\x12\xca\x1b\xbd\xca\xfa\xc21\xb3\x9a#\xdcM\xa7\x86\xef\xf8\x14|Nr\xb9\x80w\x85\xaf\xeeH\xbb",
    ),
    (
        "sha384(''::bytea)",
        b"8\xb0`\xa7Q\xac\x968L\xd92~\xb1\xb1\xe3j!\xfd\xb7\x11\x14\xbe\x07CL\x0c\xc7\xbfc\xf6\xe1\xda'N\xde\xbf\xe7oe\xfb\xd5\x1a\xd2\xf1H\x98\xb9[",
    ),
    (
        r"sha512('\xff'::bytea)",
        b"g\x00\xdff\x00\xb1\x18\xab\x042qZ~\x8ah\xb0\xbf7\xcd\xf4\xad\xaf\x0f\xb9\xe2\xb3\xeb\xe0J\xd1\x9cp2\xcb\xadU\xe92y*\xf3`\xba\xfa\xa0\x99b\xe2\xe6\x90e+\xc0u\xb2\xda\xd0\xc3\x06\x88\xba/1\xa3",
    ),
    ("crc32('abc'::bytea)", 891568578),
    ("crc32(''::bytea)", 0),
    ("crc32c('abc'::bytea)", 910901175),
    ("crc32c(''::bytea)", 0),
]


@pytest.mark.parametrize(("sql", "answer"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_the_answer_is_postgresqls(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize(
    ("sql", "answer"),
    [
        # From the test vectors of the hashes themselves: Kafka's without the sign, and SeaHash's.
        ("kafka_murmur2('21')", 1173551340),
        ("kafka_murmur2('foobar')", 1357151166),
        ("kafka_murmur2('a-little-bit-long-string')", 1161502112),
        ("kafka_murmur2('abc'::bytea)", 479470107),
        ("seahash('to be or not to be')", 1988685042348123509),
        ("seahash('to be or not to be'::bytea)", 1988685042348123509),
        ("crc32('abc')", 891568578),
        ("digest('abc', 'sha1')", bytes.fromhex("a9993e364706816aba3e25717850c26c9cd0d89d")),
        ("digest('abc'::bytea, 'MD5')", bytes.fromhex("900150983cd24fb0d6963f7d28e17f72")),
        # RFC 2202, test case 2.
        ("hmac('what do ya want for nothing?', 'Jefe', 'md5')", bytes.fromhex("750c783e6ab0b503eaa86e310a5db738")),
        ("constant_time_eq('a', 'a')", True),
        ("constant_time_eq('é'::bytea, 'e'::bytea)", False),
    ],
)
def test_hashes_that_postgresql_has_not_are_as_published(sql: str, answer: object) -> None:
    assert EXPRESSIONS.value(sql) == answer


@pytest.mark.parametrize("sql", ["digest('a', 'sha3')", "hmac('a', 'b', 'sha3')"])
def test_an_unknown_algorithm_is_an_error(sql: str) -> None:
    with pytest.raises(DataError, match='Cannot use "sha3": No such hash algorithm'):
        EXPRESSIONS.value(sql)
