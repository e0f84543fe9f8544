"""Hashes and checksums.

Text is hashed as its UTF-8. The names are PostgreSQL's, those of its module pgcrypto, and Materialize's.
"""

from __future__ import annotations

import hashlib
import hmac
import zlib
from collections.abc import Callable

from holdfast.plan.errors import InvalidParameterValue
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.types import BOOL, BYTEA, INT4, INT8, TEXT, UINT8, Type

_ALGORITHMS = frozenset(("md5", "sha1", "sha224", "sha256", "sha384", "sha512"))
_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1


def _algorithm(name: str) -> str:
    if name.lower() not in _ALGORITHMS:
        raise InvalidParameterValue(f'Cannot use "{name}": No such hash algorithm')
    return name.lower()


def _digest(data: bytes, algorithm: str) -> bytes:
    return hashlib.new(_algorithm(algorithm), data).digest()


def _hmac(data: bytes, key: bytes, algorithm: str) -> bytes:
    return hmac.digest(key, data, _algorithm(algorithm))


def _crc32c_table() -> tuple[int, ...]:
    """Of the Castagnoli polynomial, its bits in reverse order."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC32C = _crc32c_table()


def _crc32c(data: bytes) -> int:
    crc = _MASK32
    for byte in data:
        crc = _CRC32C[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ _MASK32


def _kafka_murmur2(data: bytes) -> int:
    """MurmurHash2 with the seed of Kafka's partitioner, without the sign."""
    multiplier, shift = 0x5BD1E995, 24
    hash_ = 0x9747B28C ^ len(data)
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * multiplier & _MASK32
        word = (word ^ word >> shift) * multiplier & _MASK32
        hash_ = hash_ * multiplier & _MASK32 ^ word
    if whole < len(data):
        hash_ = (hash_ ^ int.from_bytes(data[whole:], "little")) * multiplier & _MASK32
    hash_ = (hash_ ^ hash_ >> 13) * multiplier & _MASK32
    return (hash_ ^ hash_ >> 15) & 0x7FFFFFFF


def _diffused(value: int) -> int:
    value = value * 0x6EED0E9DA4D94A4F & _MASK64
    value ^= value >> 32 >> (value >> 60)
    return value * 0x6EED0E9DA4D94A4F & _MASK64


def _seahash(data: bytes) -> int:
    """Four lanes take turns at the words of eight bytes."""
    lanes = [0x16F11FE89B0D677C, 0xB480A793D8E6C86C, 0x6FE2E5AAF078EBC9, 0x14F994A4C5259381]
    for number, at in enumerate(range(0, len(data), 8)):
        lanes[number % 4] = _diffused(lanes[number % 4] ^ int.from_bytes(data[at : at + 8], "little"))
    return _diffused(lanes[0] ^ lanes[1] ^ lanes[2] ^ lanes[3] ^ len(data))


def _of_both(
    name: str, result: Type, python: Callable[..., object], spark: str | None = None, rest: tuple[Type, ...] = ()
) -> tuple[Function, Function]:
    """One overload for bytes, and one for text."""

    def of_text(text: str, *more: object) -> object:
        return python(text.encode(), *more)

    fails = bool(rest)
    return (
        Function(name, (BYTEA, *rest), result, python, spark, fails=fails),
        Function(name, (TEXT, *rest), result, of_text, spark, fails=fails),
    )


def _md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


_SHA = {f"sha{bits}": f"unhex(sha2({{0}}, {bits}))" for bits in (224, 256, 384, 512)}


def _sha(name: str) -> Callable[[bytes], bytes]:
    return lambda data: hashlib.new(name, data).digest()


FAMILY = Family(
    "Hashes",
    functions=(
        *_of_both("md5", TEXT, _md5, "md5({0})"),
        *(Function(name, (BYTEA,), BYTEA, _sha(name), spark) for name, spark in _SHA.items()),
        *_of_both("digest", BYTEA, _digest, rest=(TEXT,)),
        Function(
            "hmac",
            (BYTEA, BYTEA, TEXT),
            BYTEA,
            _hmac,
            fails=True,
            doc="A hash with a key, by the name of its algorithm.",
        ),
        Function(
            "hmac",
            (TEXT, TEXT, TEXT),
            BYTEA,
            lambda text, key, algorithm: _hmac(text.encode(), key.encode(), algorithm),
            fails=True,
            doc="A hash with a key, by the name of its algorithm.",
        ),
        *_of_both("crc32", INT8, zlib.crc32, "crc32({0})"),
        *_of_both("crc32c", INT8, _crc32c),
        *_of_both("kafka_murmur2", INT4, _kafka_murmur2),
        *_of_both("seahash", UINT8, _seahash),
        Function(
            "constant_time_eq",
            (BYTEA, BYTEA),
            BOOL,
            hmac.compare_digest,
            doc="Whether both are equal, found in a time that does not tell where they differ.",
        ),
        Function(
            "constant_time_eq",
            (TEXT, TEXT),
            BOOL,
            lambda left, right: hmac.compare_digest(left.encode(), right.encode()),
            doc="Whether both are equal, found in a time that does not tell where they differ.",
        ),
    ),
)
