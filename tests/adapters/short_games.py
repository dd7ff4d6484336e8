"""Options with which an episode of a game is short; the others are short anyhow."""

SHORT = {
    "connect_four": {"width": 4, "height": 4, "connect": 3},
    "othello": {"size": 4},
    "hex": {"size": 3},
    "go": {"size": 3},
    "pig": {"target": 12, "players": 4},
    "mastermind": {"colors": 3, "pegs": 2},
    "dicewars": {"players": 3, "maps": 3},
    "pacman": {"t_max": 12},
    "tactics": {"size": 8, "team": 1, "turn.rounds": 4, "maps": 2},
    "homeguard": {"size": 7, "maps": 3},
}
NUMBA_WARNS = "has been considered a subtype of Record"
"""Of rules over fewer fields than a game has, which is meant: the project ignores it, but for recorded warnings."""
