"""The renderer: syntax to canonical SQL, which is what SHOW CREATE prints.

What it writes parses to the tree it was given, for every tree that a parse can give.
"""

from holdfast.sql.render.statement import render

__all__ = ["render"]
