"""Compiling ahead: the parts of a game that the page wants, and the processes that compile them."""
