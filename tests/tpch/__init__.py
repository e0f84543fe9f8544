"""TPC-H: its 22 queries over its data, made by `tpchgen-cli`."""
