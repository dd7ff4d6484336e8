"""Searches: one algorithm and its player a file. Each plays every game it can and refuses the others in a sentence."""

from turnsmith.search.alphazero import AlphaZero
from turnsmith.search.best import Best
from turnsmith.search.expectimax import Expectimax
from turnsmith.search.maxn import Maxn
from turnsmith.search.mcts import Mcts
from turnsmith.search.negamax import Negamax
from turnsmith.search.random import Random
from turnsmith.search.softmax import Softmax
from turnsmith.search.solve import Solve
from turnsmith.search.strategies import Cfr

SEARCHES = {kind.name: kind for kind in (Random, Negamax, Expectimax, Maxn, Mcts, AlphaZero, Solve, Cfr, Softmax, Best)}
