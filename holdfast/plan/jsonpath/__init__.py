"""PostgreSQL's jsonpath: SQL/JSON paths, parsed and run over values of `plan/json_value.py`."""
