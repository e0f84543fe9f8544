"""Sessions: what one client has set, prepared, begun and asked for.

Statements of a session run one after another. Each belongs to a transaction, perhaps one of its own, and every
transaction is of a kind: what it reads is read at one time, what it writes is written at one time.
"""
