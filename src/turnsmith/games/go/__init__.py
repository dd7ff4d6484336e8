"""Go: surround more of the board than the other.

Black (seat 0) and white (seat 1) take turns to put a stone on an empty crossing, or pass. A chain of stones without an
empty crossing beside it is captured; a stone may not be put where its own chain would have none, nor take back at once
the stone that took one (ko). No move may bring back an earlier position of the board (positional superko), or with
`repetition=draw` whoever does so ends the game without a winner. The game ends when both pass, or after two moves for
every crossing: stones on the board and empty crossings that reach only one colour count, and white gets `komi` points
more. Crossings are called a1 (bottom left) and so on.
"""
