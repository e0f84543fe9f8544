"""Compute: plans made to run, by Spark or here."""
