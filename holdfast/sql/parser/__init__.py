"""The parser: text to syntax, by PostgreSQL's own grammar and ours around it.

Nothing outside this package knows how; `parse` and its like are all there is.
"""

from holdfast.sql.parser.finished import is_finished
from holdfast.sql.parser.parse import (
    Parsed,
    parse,
    parse_expression,
    parse_literals,
    parse_one,
    parse_query,
    parse_type_name,
)

__all__ = [
    "Parsed",
    "is_finished",
    "parse",
    "parse_expression",
    "parse_literals",
    "parse_one",
    "parse_query",
    "parse_type_name",
]
