"""SUBSCRIBE: the rows of a query at a time, and every change of them afterwards, exactly when it happens."""
