"""What every node of the tree has: the place it came from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """`location` counts characters of the whole text from 1; 0 says that it is not known.

    Trees from different texts that say the same are equal, so it takes no part in comparison.
    """

    location: int = field(default=0, compare=False, repr=False)
