"""Consistency seen from outside: what concurrent clients did and saw, and whether any order of it makes sense.

Clients run workloads over connections and record a history; checkers look for what no strictly serializable database
can have shown. Checkers know nothing of the database, and are tested with anomalies of every kind.
"""
