"""PostgreSQL's wire protocol, version 3: sessions for any client that speaks it."""
