"""The template of a date: which fields in which order, and what stands between them.

A field is a keyword in one of its spellings, the longest that fits. Before it may stand `FM` (no padding) or `TM`
(names of the language, of which we have one), after it `TH` (an ordinal number). Text in double quotes is itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

_UPPER = tuple(
    word
    for words in (
        "HH24 HH12 HH MI SS MS US FF1 FF2 FF3 FF4 FF5 FF6 SSSSS SSSS",
        "AM A.M. PM P.M.",
        "Y,YYY YYYY YYY YY Y IYYY IYY IY I CC BC B.C. AD A.D.",
        "MONTH MON MM RM Q",
        "DAY DY DDD IDDD DD D ID WW IW W J",
        "TZH TZM TZ OF FX",
    )
    for word in words.split()
)
_MIXED = ("Day", "Dy", "Month", "Mon")
KEYWORDS = tuple(sorted({*_UPPER, *_MIXED, *(word.lower() for word in _UPPER)}, key=lambda word: (-len(word), word)))


@dataclass(frozen=True, slots=True)
class Field:
    """`keyword` as it was written: its case shows in names. `ordinal` is `TH`, `th` or nothing."""

    keyword: str
    fill: bool = True
    translated: bool = False
    ordinal: str = ""

    @property
    def name(self) -> str:
        return self.keyword.upper()


@dataclass(frozen=True, slots=True)
class Literal:
    """`quoted` text is skipped by its length when a date is read; other characters one by one."""

    text: str
    quoted: bool = False


@lru_cache(maxsize=1024)
def parsed(template: str) -> tuple[Field | Literal, ...]:
    found: list[Field | Literal] = []
    at = 0
    while at < len(template):
        prefix = template[at : at + 2]
        fill, translated = prefix not in ("FM", "fm"), prefix in ("TM", "tm")
        if not fill or translated:
            at += 2
        keyword = _keyword_at(template, at)
        if keyword is not None:
            at += len(keyword)
            ordinal = template[at : at + 2] if template[at : at + 2] in ("TH", "th") else ""
            if ordinal or template[at : at + 2] == "SP":
                at += 2
            found.append(Field(keyword, fill, translated, ordinal))
        elif at < len(template):
            literal, at = _literal_at(template, at)
            found.append(literal)
    return tuple(found)


def _keyword_at(template: str, at: int) -> str | None:
    return next((keyword for keyword in KEYWORDS if template.startswith(keyword, at)), None)


def _literal_at(template: str, at: int) -> tuple[Literal, int]:
    if template[at] == '"':
        return _quoted_at(template, at + 1)
    if template[at] == "\\" and template[at + 1 : at + 2] == '"':
        at += 1
    return Literal(template[at]), at + 1


def _quoted_at(template: str, at: int) -> tuple[Literal, int]:
    text = ""
    while at < len(template) and template[at] != '"':
        if template[at] == "\\" and at + 1 < len(template):
            at += 1
        text += template[at]
        at += 1
    return Literal(text, quoted=True), at + 1
