"""Our own statements, one module for each group: functions from a cursor past the first words to a statement."""
