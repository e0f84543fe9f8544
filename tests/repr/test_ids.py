import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.repr.ids import MAX_NUMBER, GlobalId, IdKind


def test_ids_print_with_their_kind() -> None:
    assert [str(GlobalId(kind, 12)) for kind in IdKind] == ["u12", "s12", "t12"]


@given(st.builds(GlobalId, st.sampled_from(IdKind), st.integers(0, MAX_NUMBER)))
def test_ids_survive_print_and_parse(global_id: GlobalId) -> None:
    assert GlobalId.parse(str(global_id)) == global_id


@pytest.mark.parametrize(
    "text",
    ["", "u", "12", "x1", "U1", "u01", "u-1", "u+1", "u 1", "u1 ", "u1\n", "u١", "u1_0", f"u{2**63}", "u" + "9" * 40],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="global id"):
        GlobalId.parse(text)


@given(st.text(alphabet="ust0123456789", max_size=4))
def test_no_two_texts_are_the_same_id(text: str) -> None:
    try:
        parsed = GlobalId.parse(text)
    except UsageError:
        return
    assert str(parsed) == text


def test_a_number_too_large_to_store_is_refused() -> None:
    with pytest.raises(UsageError, match="outside"):
        GlobalId(IdKind.USER, MAX_NUMBER + 1)
