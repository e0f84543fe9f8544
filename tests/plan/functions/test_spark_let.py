from __future__ import annotations

from holdfast.plan.functions.spark_let import SHORT, let


def doubled(text: str) -> str:
    return f"({text} + {text})"


def test_a_short_argument_is_written_where_it_is_used() -> None:
    assert let(["c1"], doubled) == "(c1 + c1)"


def test_a_long_argument_is_written_once() -> None:
    long = "f(" + "x" * SHORT + ")"
    assert let([long], doubled) == f"transform(array(struct({long} AS a0)), v -> (v.a0 + v.a0))[0]"


def test_nested_texts_grow_with_their_depth_and_not_with_its_power() -> None:
    text = "c1"
    for _ in range(50):
        text = let([text], doubled)
    assert len(text) < 20_000
