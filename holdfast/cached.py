"""Properties computed once, without a lock.

The standard library's `cached_property` (until Python 3.12) holds a lock of the class while it computes. Plans are
trees of such properties and are asked for them by many threads: one thread that goes from a projection down to a join
and one that goes from a join down to a projection wait for each other for ever. Here two threads may both compute; what
they compute is a function of the object alone, so it does not matter whose value stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801 (it stands where the standard one stood)
        """A method without arguments, asked once; then an attribute of the instance, which shadows this."""

        def __init__(self, method: Any) -> None:
            self._method, self.__doc__ = method, method.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._method(instance)
            return value
