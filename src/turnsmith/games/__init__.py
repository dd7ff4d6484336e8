"""The games that come with turnsmith: a file or folder dropped in here is a game.

Calling it lists them, ``turnsmith.games()``. Other packages declare theirs by entry points (``contract.installed``).
"""

from turnsmith.public import make_callable

make_callable(__name__)
