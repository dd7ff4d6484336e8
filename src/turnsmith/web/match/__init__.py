"""Matches on the server: who sits where, whose turn it is, and players who are asked."""
