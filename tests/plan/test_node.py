from __future__ import annotations

import gc
import pickle

import pytest

from holdfast.plan.node import NodeMeta
from holdfast.plan.scalar import Column, Constant
from holdfast.plan.types import BOOL, FLOAT8, INT4, NUMERIC, Interval, Numeric, Type
from tests.plan.build import T, col, eq, lit


def test_nodes_that_say_the_same_are_the_same() -> None:
    assert eq(col(0), lit(1)) is eq(col(0), lit(1))
    assert Column(index=0, type=INT4, nullable=True) is Column(0, INT4, True)
    assert Numeric("numeric") is NUMERIC


def test_values_that_python_takes_for_equal_are_told_apart() -> None:
    assert Constant(0.0, FLOAT8) is not Constant(-0.0, FLOAT8)
    assert Constant(1, INT4) is not Constant(True, BOOL)
    assert Constant(float("nan"), FLOAT8) is Constant(float("nan"), FLOAT8)
    assert Constant(Interval(1, 0, 0), INT4) is Constant(Interval(1, 0, 0), INT4)


def test_a_node_never_changes() -> None:
    with pytest.raises(AttributeError):
        T.name = "u"  # type: ignore[misc]


def test_a_node_from_another_process_is_the_one_that_is_here() -> None:
    assert pickle.loads(pickle.dumps(Type("int4"))) is INT4
    assert pickle.loads(pickle.dumps(col(3))) is col(3)


def test_fields_that_are_missing_or_unknown_are_refused() -> None:
    with pytest.raises(TypeError, match="needs type"):
        Column(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no such fields"):
        Column(1, INT4, nullable=True, other=1)  # type: ignore[call-arg]


def test_nodes_that_nothing_holds_are_forgotten() -> None:
    node = Constant("only here, once", INT4)
    key = (Constant, "only here, once", INT4)
    assert NodeMeta._nodes[key] is node
    del node
    gc.collect()
    assert key not in NodeMeta._nodes
