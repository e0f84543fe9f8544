"""SQL: text to syntax, syntax to plan, and syntax back to text.

`parser` alone knows PostgreSQL's grammar; `syntax` is the tree that it makes;
`render` writes the tree as canonical SQL.
"""

from holdfast.sql.plan import OutputColumn, Planned, plan_query

__all__ = ["OutputColumn", "Planned", "plan_query"]
