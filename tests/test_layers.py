"""Each layer imports only those before it."""

import ast
from pathlib import Path

import pytest

from holdfast.compute import maintain

LAYERS = ["errors", "repr", "plan", "spark", "persist", "storage", "compute", "sql", "adapter", "server"]
ROOT = Path(__file__).parent.parent / "holdfast"


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    above = LAYERS[LAYERS.index(own) + 1 :] if own in LAYERS else []
    assert not {m for m in imported(path) for layer in above if f"{m}.".startswith(f"holdfast.{layer}.")}


@pytest.mark.parametrize("layer", ["adapter", "server"])
def test_views_are_maintained_by_one_interface(layer: str) -> None:
    public = {f"{maintain.__name__}.{name}" for name in maintain.__all__}
    found = {module for path in (ROOT / layer).rglob("*.py") for module in imported(path)}
    assert {module for module in found if module.startswith(f"{maintain.__name__}.")} <= public


def test_every_package_is_a_layer() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages <= set(LAYERS)
