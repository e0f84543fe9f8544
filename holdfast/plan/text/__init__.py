"""Values as text, in and out, with PostgreSQL's formats."""

from holdfast.plan.text.codec import read_of, write_of

__all__ = ["read_of", "write_of"]
