"""The HTTP surface: a FastAPI application over one open index, safe by default.

Needs the extra `http`. Every route translates a request, calls one function of the
library in a bounded pool of threads, and renders what comes back.
"""
