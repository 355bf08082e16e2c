"""The command line: translate arguments, call one function, render the result."""
