"""Searches: one algorithm and its player a file. Each plays every game it can and refuses the others in a sentence."""

from turnsmith.search.negamax import Negamax
from turnsmith.search.random import Random

SEARCHES = {kind.name: kind for kind in (Random, Negamax)}
