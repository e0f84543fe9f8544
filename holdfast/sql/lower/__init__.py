"""Lowering: from the syntax tree of a query to a typed plan, before decorrelation."""
