"""Properties computed once: in one thread and in several at once."""

from __future__ import annotations

import threading

from holdfast.cached import cached_property


class Node:
    """A tree whose properties ask those of what is below them."""

    def __init__(self, below: Node | None, met: threading.Barrier | None) -> None:
        self.below, self.met, self.asked = below, met, 0


class Left(Node):
    @cached_property
    def depth(self) -> int:
        return _depth(self)


class Right(Node):
    @cached_property
    def depth(self) -> int:
        return _depth(self)


def _depth(node: Node) -> int:
    node.asked += 1
    if node.met is not None:
        node.met.wait(10)
    assert node.below is None or isinstance(node.below, Left | Right)
    return 1 if node.below is None else 1 + node.below.depth


def test_a_property_is_computed_once() -> None:
    node = Left(Right(None, None), None)
    assert (node.depth, node.depth, node.asked) == (2, 2, 1)
    assert isinstance(Left.__dict__["depth"], cached_property)


def test_threads_that_ask_crosswise_do_not_wait_for_each_other() -> None:
    met = threading.Barrier(2)
    trees = (Left(Right(None, None), met), Right(Left(None, None), met))
    found: list[int] = []
    threads = [threading.Thread(target=lambda tree=tree: found.append(tree.depth), daemon=True) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == [2, 2]
