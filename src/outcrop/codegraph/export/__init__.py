"""The graph written out: text formats, and a page to look at."""
