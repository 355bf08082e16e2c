"""Calls of languages with declared types: names, imports, receivers, overloads.

Each file gives its variables and calls as small expressions; the resolver works out
the type of every receiver from declarations, and from there the target.
"""
