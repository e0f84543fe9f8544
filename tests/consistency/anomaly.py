"""Anomalies: what a history shows that no strictly serializable database can have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Anomaly:
    """`kind` is Adya's name for it where there is one; `evidence` is what shows it, a line each."""

    kind: str
    evidence: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join((f"{self.kind}:", *self.evidence))


def report(anomalies: Sequence[Anomaly]) -> str:
    """The first few of them."""
    shown = [str(anomaly) for anomaly in anomalies[:5]]
    more = len(anomalies) - len(shown)
    return "\n".join((f"{len(anomalies)} anomalies", *shown, *([f"and {more} more"] if more else [])))
