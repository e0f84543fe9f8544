"""The algebra: types, scalar expressions, relational operators, the functions they call, and rewrites of plans.

A plan says what is meant, with PostgreSQL's types and rules, and nothing of how it is run.
"""
