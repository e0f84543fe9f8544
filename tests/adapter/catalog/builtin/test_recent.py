from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from holdfast.adapter.catalog.builtin.recent import Recent


def test_what_was_made_is_made_once() -> None:
    recent, made = Recent[int](2), list[int]()

    def make() -> int:
        made.append(1)
        return len(made)

    assert [recent.get("a", make), recent.get("a", make), recent.get("b", make)] == [1, 1, 2]


def test_what_was_not_asked_for_is_forgotten_first() -> None:
    recent: Recent[str] = Recent(2)
    for key in ("a", "b", "a", "c"):
        recent.get(key, lambda key=key: key)  # type: ignore[misc]  # mypy does not see what a default binds
    assert recent.get("a", lambda: "another") == "a"
    assert recent.get("b", lambda: "another") == "another"


def test_all_who_ask_at_once_get_the_same() -> None:
    recent: Recent[object] = Recent(3)
    with ThreadPoolExecutor(8) as pool:
        for round_ in range(200):
            found = list(pool.map(lambda _, key=round_ % 5: recent.get(key, object), range(8)))
            assert len(set(map(id, found))) == 1
