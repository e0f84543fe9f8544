"""The functions: one registry, filled by one module for each family."""
