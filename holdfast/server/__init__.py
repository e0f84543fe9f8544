"""Servers: any PostgreSQL client can ask, and people can look. Only these modules open sockets."""
