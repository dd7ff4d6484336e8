"""Fair tournaments: schedule, play, store, and tables with honest intervals. ``turnsmith.arena(…)`` plays one."""

from turnsmith.public import make_callable

make_callable(__name__)
