"""The syntax tree: what a text said, before any name in it is looked up.

Nodes are frozen and compare by what they say, never by where they say it.
"""
