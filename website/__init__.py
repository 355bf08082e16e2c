"""The documentation site: reference pages from the code, the build, its search."""
