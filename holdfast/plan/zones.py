"""Time zones: what a name, an abbreviation or a displacement says, and how far from UTC it is at a time.

Names are those of the time zone database, in any case; abbreviations are those that PostgreSQL knows by default; and
there are POSIX's own descriptions, where `X+2` is two hours *west*. The database says nothing of times that Python has
no datetimes for. Before them the first offset holds, after them the rules that repeat each year and so every 400 years.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from io import BytesIO
from typing import Protocol
from zoneinfo import ZoneInfo, available_timezones

from holdfast.plan.calendar import MICROS_PER_SECOND
from holdfast.plan.errors import InvalidTimeZone

_FIXED: Mapping[int, str] = {
    -600: "hst taht",
    -570: "mart",
    -540: "akst gamt",
    -480: "akdt pst",
    -420: "mst pdt",
    -360: "cst galt mdt",
    -300: "act cdt cot est pet",
    -240: "amt ast bot edt",
    -210: "nft nst",
    -180: "adt bra brt clst gft pmst pyst uyt wgt",
    -150: "ndt",
    -120: "brst fnt pmdt uyst wgst",
    -60: "azot egt fnst",
    0: "azost egst gmt uct ut utc wet z zulu",
    60: "bst cet met mez wat wetdst",
    120: "bdst cest cetdst eet ist mest mesz metdst sast",
    180: "eat eest eetdst fet idt",
    210: "irt",
    240: "msd mut ret sct",
    270: "aft",
    300: "must mvt pkt tft tjt uzt",
    345: "npt",
    360: "almt bdt btt kgst pkst uzst xjt yekst",
    390: "mmt",
    420: "almst cxt ict wast",
    480: "awst bnt bort cct hkt myt pht wadt",
    525: "acwst",
    540: "awsst jayt jst kst pwt ulast wdt",
    570: "acst cast",
    600: "aest chut ddut kdt ligt mpt pgt trut yapt",
    630: "acdt acsst cadt lhst sadt",
    660: "aedt aesst pont vut",
    720: "fjt gilt mht nzst nzt tvt wakt wft",
    765: "chast",
    780: "fjst nzdt tot",
    825: "chadt",
}
_OF_PLACES: Mapping[str, str] = {
    "America/Argentina/Buenos_Aires": "art arst",
    "America/Asuncion": "pyt",
    "America/Caracas": "vet",
    "America/Guyana": "gyt",
    "America/Santiago": "clt",
    "Antarctica/Davis": "davt",
    "Antarctica/Mawson": "mawt",
    "Asia/Anadyr": "anast anat",
    "Asia/Ashgabat": "tmt",
    "Asia/Baku": "azst azt",
    "Asia/Bishkek": "kgt",
    "Asia/Colombo": "lkt",
    "Asia/Irkutsk": "irkst irkt",
    "Asia/Kamchatka": "petst pett",
    "Asia/Krasnoyarsk": "krast krat",
    "Asia/Magadan": "magst magt",
    "Asia/Novosibirsk": "novst novt",
    "Asia/Omsk": "omsst omst",
    "Asia/Singapore": "sgt",
    "Asia/Tbilisi": "gest get",
    "Asia/Ulaanbaatar": "ulat",
    "Asia/Vladivostok": "vlast vlat",
    "Asia/Yakutsk": "yakst yakt",
    "Asia/Yekaterinburg": "yekt",
    "Asia/Yerevan": "amst",
    "Atlantic/Stanley": "fkst fkt",
    "Australia/Lord_Howe": "lhdt",
    "Europe/Moscow": "msk",
    "Europe/Volgograd": "volt",
    "Indian/Chagos": "iot",
    "Pacific/Easter": "easst east",
    "Pacific/Fakaofo": "tkt",
    "Pacific/Kiritimati": "lint",
    "Pacific/Kosrae": "kost",
    "Pacific/Niue": "nut",
    "Pacific/Rarotonga": "ckt",
}
"""Abbreviations that stand for whatever time a place has, which its rules decide."""

_FIRST_SECOND = -62_000_000_000  # in the year 5
_LAST_SECOND = 253_000_000_000  # in the year 9987
_ERA_SECONDS = 146_097 * 86_400
"""400 years."""

_EPOCH = datetime(1970, 1, 1)
_DISPLACEMENT = re.compile(r"(?:<[^>]*>|[^0-9,+-]*)([+-]?)(\d{1,3})(?::(\d{1,2}))?(?::(\d{1,2}))?(.*)", re.DOTALL)


class Zone(Protocol):
    def offset_at(self, micros: int) -> int:
        """Seconds east of UTC at a moment, in microseconds since 1970 UTC."""
        ...

    def offset_of_local(self, micros: int) -> int:
        """Seconds east of UTC at a time that clocks there show.

        A time that clocks skip is counted with the offset from before, one that they show twice is the second.
        """
        ...

    def described_at(self, micros: int) -> tuple[str, int, int]:
        """What the time is called at a moment, its offset without summer time, and what summer adds, in seconds."""
        ...


@dataclass(frozen=True, slots=True)
class FixedZone:
    seconds: int
    name: str = ""

    def offset_at(self, micros: int) -> int:  # noqa: ARG002
        return self.seconds

    def offset_of_local(self, micros: int) -> int:  # noqa: ARG002
        return self.seconds

    def described_at(self, micros: int) -> tuple[str, int, int]:  # noqa: ARG002
        return self.name, self.seconds, 0


@dataclass(frozen=True, slots=True)
class RuledZone:
    """A zone of the database."""

    rules: ZoneInfo

    def offset_at(self, micros: int) -> int:
        return _seconds(_moment(micros).replace(tzinfo=UTC).astimezone(self.rules).utcoffset())

    def offset_of_local(self, micros: int) -> int:
        # Python has the later reading with `fold`, in a gap the one with the offset from after it.
        shown = _moment(micros).replace(tzinfo=self.rules)
        return min(_seconds(shown.utcoffset()), _seconds(shown.replace(fold=1).utcoffset()))

    def described_at(self, micros: int) -> tuple[str, int, int]:
        shown = _moment(micros).replace(tzinfo=UTC).astimezone(self.rules)
        summer = _seconds(shown.dst())
        return shown.tzname() or "", _seconds(shown.utcoffset()) - summer, summer


@dataclass(frozen=True, slots=True)
class MoscowZone:
    """The time that Moscow has when it is not summer there."""

    rules: ZoneInfo

    def offset_at(self, micros: int) -> int:
        return self._standard(_moment(micros).replace(tzinfo=UTC).astimezone(self.rules))

    def offset_of_local(self, micros: int) -> int:
        return self._standard(_moment(micros).replace(tzinfo=self.rules))

    def described_at(self, micros: int) -> tuple[str, int, int]:
        return "MSK", self.offset_at(micros), 0

    def _standard(self, time: datetime) -> int:
        # Before there was a standard time there, PostgreSQL takes what it first was.
        return 10_800 if time.year < 1917 else _seconds(time.utcoffset()) - _seconds(time.dst())


def _moment(micros: int) -> datetime:
    seconds = micros // MICROS_PER_SECOND
    if seconds > _LAST_SECOND:
        seconds -= -(-(seconds - _LAST_SECOND) // _ERA_SECONDS) * _ERA_SECONDS
    return _EPOCH + timedelta(seconds=max(seconds, _FIRST_SECOND))


def _seconds(offset: timedelta | None) -> int:
    return 0 if offset is None else offset.days * 86_400 + offset.seconds


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    return {name.lower(): name for name in available_timezones()}


@lru_cache(maxsize=1)
def _abbreviations() -> Mapping[str, Zone]:
    found: dict[str, Zone] = {
        name: FixedZone(minutes * 60, name.upper()) for minutes, names in _FIXED.items() for name in names.split()
    }
    for place, names in _OF_PLACES.items():
        for name in names.split():
            rules = ZoneInfo(place)
            # Of these only Moscow's is in the database itself, where it means the time that is not summer's.
            found[name] = MoscowZone(rules) if name == "msk" else RuledZone(rules)
    return found


def abbreviated_zone(name: str) -> Zone | None:
    """The zone that an abbreviation, in lower case, stands for."""
    return _abbreviations().get(name)


@lru_cache(maxsize=1024)
def named_zone(name: str) -> Zone | None:
    """A zone of the database, or as POSIX writes them; not an abbreviation."""
    known = _names().get(name.lower())
    if known is not None:
        return RuledZone(ZoneInfo(known))
    return _posix_zone(name)


def zone_of(name: str) -> Zone:
    """The zone that a user means."""
    found = abbreviated_zone(name.lower()) or named_zone(name)
    if found is None:
        raise InvalidTimeZone(f'time zone "{name}" not recognized')
    return found


def _posix_zone(name: str) -> Zone | None:
    match = _DISPLACEMENT.fullmatch(name)
    if match is None:
        return None
    sign, hours, minutes, seconds, summer = match.groups()
    west = int(hours) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    if int(hours) > 167 or int(minutes or 0) > 59 or int(seconds or 0) > 59:
        return None
    if not summer:
        return FixedZone(west if sign == "-" else -west)
    # Without rules of its own, summer is when it is in the United States.
    return _summer_zone(name if "," in summer else f"{name},M3.2.0,M11.1.0")


def _summer_zone(description: str) -> Zone | None:
    """A zone whose whole file is its POSIX description."""
    header = b"TZif2" + bytes(15) + b"".join(count.to_bytes(4, "big") for count in (0, 0, 0, 0, 1, 4))
    block = header + bytes(6) + b"UTC\0"
    try:
        rules = ZoneInfo.from_file(BytesIO(block + block + b"\n" + description.encode("ascii") + b"\n"))
    except ValueError:
        return None
    return RuledZone(rules)
