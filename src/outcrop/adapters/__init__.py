"""Outcrop inside other frameworks, one module per framework.

`langchain`, `llamaindex` and `haystack` each need the extra of the same name. The other
modules need no framework: they make the ids and metadata of chunks, for the frameworks
and for `outcrop chunk --format`.
"""
