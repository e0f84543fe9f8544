"""Random queries over random tables, asked of PostgreSQL and of us."""
