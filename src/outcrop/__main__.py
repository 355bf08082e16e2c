"""`python -m outcrop`: the command, where its script is not on the path."""

from outcrop.cli.main import main

main()
