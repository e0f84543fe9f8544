"""The catalog: what exists, what it is called, who may use it.

It is a value: a change makes a new one. What makes it durable, in one order with all writes, is the ledger.
"""
