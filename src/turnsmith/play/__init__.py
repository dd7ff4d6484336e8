"""Parts of a match: positions, steps, players and their seats. ``turnsmith.play(…)`` plays one."""

from turnsmith.public import make_callable

make_callable(__name__)
