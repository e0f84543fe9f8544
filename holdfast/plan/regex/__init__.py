"""PostgreSQL's regular expressions: parsed, searched for by Python's, and matched by their own rules."""
