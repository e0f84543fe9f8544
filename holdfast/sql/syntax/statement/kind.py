"""Kinds of object, by the words that name them in SQL."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    CLUSTER = "CLUSTER"
    CLUSTER_REPLICA = "CLUSTER REPLICA"
    CONNECTION = "CONNECTION"
    DATABASE = "DATABASE"
    FUNCTION = "FUNCTION"
    INDEX = "INDEX"
    MATERIALIZED_VIEW = "MATERIALIZED VIEW"
    NETWORK_POLICY = "NETWORK POLICY"
    ROLE = "ROLE"
    SCHEMA = "SCHEMA"
    SECRET = "SECRET"
    SINK = "SINK"
    SOURCE = "SOURCE"
    TABLE = "TABLE"
    TYPE = "TYPE"
    VIEW = "VIEW"

    @property
    def plural(self) -> str:
        """The word for all objects of this kind."""
        if self is Kind.INDEX:
            return "INDEXES"
        if self is Kind.NETWORK_POLICY:
            return "NETWORK POLICIES"
        return f"{self.value}S"
