"""Templates, as `to_char` and `to_timestamp` take them: how a date or a number is written, and how it is read."""
