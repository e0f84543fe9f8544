from __future__ import annotations

import pytest

from holdfast.adapter.set_config import SettingChange, setting_values, settings_changed
from holdfast.sql.parser import parse_query


@pytest.mark.parametrize(
    ("sql", "values", "changes"),
    [
        ("SELECT set_config('jit', 'off', false)", (), [SettingChange("jit", "off", local=False)]),
        ("SELECT pg_catalog.set_config('Search_Path', '', true)", (), [SettingChange("search_path", "", local=True)]),
        ("SELECT set_config('jit', $1, $2)", ("on", True), [SettingChange("jit", "on", local=True)]),
        ("SELECT set_config('jit', NULL, false)", (), [SettingChange("jit", None, local=False)]),
        ("SELECT set_config('a', 'b'::text, false)::text", (), [SettingChange("a", "b", local=False)]),
        (
            "SELECT current_setting('jit') AS cur, set_config('jit', 'off', false) AS new, set_config('a', 'b', false)",
            (),
            [SettingChange("jit", "off", local=False), SettingChange("a", "b", local=False)],
        ),
        ("SELECT set_config(name, 'x', false) FROM pg_settings", (), []),
        ("SELECT set_config('a' || 'b', 'x', false)", (), []),
        ("SELECT set_config('a', 'x', false) WHERE false", (), []),
        ("SELECT 1", (), []),
        ("VALUES (1)", (), []),
    ],
)
def test_what_a_query_sets_is_found_in_it(sql: str, values: tuple[object, ...], changes: list[SettingChange]) -> None:
    assert settings_changed(parse_query(sql), values) == changes


@pytest.mark.parametrize(
    ("change", "values"),
    [
        (SettingChange("jit", "off", local=False), ("off",)),
        (SettingChange("jit", None, local=False), ()),
        (SettingChange("search_path", 'a, "B",c', local=False), ("a", "B", "c")),
        (SettingChange("search_path", "", local=False), ("",)),
    ],
)
def test_values_are_as_set_has_them(change: SettingChange, values: tuple[str, ...]) -> None:
    assert setting_values(change) == values
