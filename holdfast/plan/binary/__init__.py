"""Values as bytes, in and out, with PostgreSQL's binary formats."""

from holdfast.plan.binary.codec import receive_of, send_of

__all__ = ["receive_of", "send_of"]
