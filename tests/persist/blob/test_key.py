from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.persist.blob.key import check_key, is_key, is_leftover, leftover_name, prefix_folder

UNIQUE = "0123456789abcdef" * 2
texts = st.text(alphabet=st.one_of(st.sampled_from("ab./_-=~\\\0\n é"), st.characters()), max_size=12)
segments = st.from_regex(re.compile(r"[a-z0-9][a-z0-9._=-]{0,5}", re.ASCII), fullmatch=True)
keys = st.lists(segments, min_size=1, max_size=4).map("/".join).filter(is_key)


@given(text=texts)
def test_no_key_leaves_its_root(text: str) -> None:
    if is_key(text):
        check_key(text)
        assert os.path.normpath(f"/root/folder/{text}") == f"/root/folder/{text}"
    else:
        with pytest.raises(UsageError):
            check_key(text)


@given(key=keys, data=st.data())
def test_every_start_of_a_key_is_a_prefix_in_a_folder_above_it(key: str, data: st.DataObject) -> None:
    folder = prefix_folder(key[: data.draw(st.integers(0, len(key)))])
    assert folder == "" or key.startswith(f"{folder}/")


@given(key=keys)
def test_a_leftover_is_no_key(key: str) -> None:
    name = leftover_name(key, UNIQUE)
    assert is_leftover(name)
    assert not is_key(name)
    assert not is_leftover(key)


@pytest.mark.parametrize("key", ["../x", "/x", "", "a/../x", "ä"])
def test_a_leftover_of_no_key_is_no_leftover(key: str) -> None:
    assert not is_leftover(leftover_name(key, UNIQUE))
