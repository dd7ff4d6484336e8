"""The ten lines a newcomer writes: load, move, ask a player, play a match, hold a tournament."""

import turnsmith as ts

game = ts.load("connect_four")  # or "pig:players=4", or ts.load("./my_game.py")
position = game.start(seed=7)
position.push("d")
print(position, position.legal, position.outcome, sep="\n")
print(ts.player("mcts:simulations=2000").act(position))
match = ts.play(game, ["mcts:simulations=200", "negamax:depth=6"], seed=7)
print(match.actions, match.returns, match.ending)
print(ts.arena(game, ["mcts:simulations=200", "negamax:depth=6", "random"], games=120))
