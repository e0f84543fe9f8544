"""Changes of rows: what INSERT, UPDATE and DELETE take from a table and put into it.

A change is planned as a query whose answer says which rows go and which come. Nothing is written here.
"""

from holdfast.sql.change.change import RETURNING, PlannedChange
from holdfast.sql.change.columns import PlannedColumns, plan_columns
from holdfast.sql.change.expression import plan_expression
from holdfast.sql.change.literals import LiteralColumns, plan_literals
from holdfast.sql.change.plan import plan_change

__all__ = [
    "RETURNING",
    "LiteralColumns",
    "PlannedChange",
    "PlannedColumns",
    "plan_change",
    "plan_columns",
    "plan_expression",
    "plan_literals",
]
