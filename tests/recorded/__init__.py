"""PostgreSQL's answers, recorded, and the tests that ask us the same."""
