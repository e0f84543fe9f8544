"""Measuring side by side: machines are noisy, so what is compared takes turns in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def interleaved(work: Mapping[str, Callable[[], object]], repeats: int, warmups: int = 1) -> dict[str, list[float]]:
    """Seconds of each of `repeats` runs of each piece of work, taken in turns after some that do not count."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for round_number in range(warmups + repeats):
        for name, run in work.items():
            start = time.perf_counter()
            run()
            if round_number >= warmups:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def report(seconds: Mapping[str, list[float]], unit: str = "s") -> dict[str, float]:
    """Print the median, best and worst of each; returns the medians in seconds."""
    factor = {"s": 1.0, "ms": 1e3}[unit]
    medians = {}
    for name, values in seconds.items():
        medians[name] = statistics.median(values)
        print(
            f"{name:<44} median {medians[name] * factor:8.3f} {unit}   "
            f"best {min(values) * factor:8.3f}   worst {max(values) * factor:8.3f}   ({len(values)} runs)"
        )
    return medians


def bar(text: str, value: float, limit: float, *, at_least: bool) -> None:
    """Print a ratio beside its bar."""
    holds = value >= limit if at_least else value <= limit
    sign = ">=" if at_least else "<="
    print(f"{text}: {value:.3g} (bar {sign} {limit}) {'ok' if holds else 'MISSED'}")
