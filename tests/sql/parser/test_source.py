from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.sql.parser.source import NAME_BYTES, Source, cut, fold


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_positions_count_characters(text: str) -> None:
    source = Source(text)
    for index in range(len(text) + 1):
        assert source.position(len(text[:index].encode())) == index + 1


def test_only_ascii_letters_fold() -> None:
    assert fold("ABCÜ") == "abcÜ"


@given(name=st.text(st.characters(exclude_categories=["Cs"])))
def test_names_are_cut_at_whole_characters(name: str) -> None:
    kept = cut(name)
    assert name.startswith(kept)
    assert len(kept.encode()) <= NAME_BYTES
    assert kept == name or len((kept + name[len(kept)]).encode()) > NAME_BYTES
