"""``python -m turnsmith``: the command line."""

from turnsmith.cli import main

main()
