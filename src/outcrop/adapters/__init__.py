"""Outcrop inside the frameworks people use, one module a framework.

`langchain`, `llamaindex` and `haystack` each need the extra of the same name and are
imported by those who use them alone. The other modules need no framework: they say
what a chunk is called and what is told about it, for the frameworks and for
`outcrop chunk --format`.
"""
