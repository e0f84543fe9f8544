"""Naming a value in Spark SQL, whose expressions have no LET, for texts in which an argument occurs more than once.

Where every level of an expression wrote its arguments twice, its text would double with each level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

SHORT = 240
"""Texts up to this length are written as often as they occur: Spark finds what is common and computes it once."""


def let(texts: Sequence[str], body: Callable[..., str]) -> str:
    """The text that `body` makes of the arguments, which it may use any number of times."""
    if sum(map(len, texts)) <= SHORT:
        return body(*texts)
    fields = ", ".join(f"{text} AS a{i}" for i, text in enumerate(texts))
    return f"transform(array(struct({fields})), v -> {body(*(f'v.a{i}' for i in range(len(texts))))})[0]"
