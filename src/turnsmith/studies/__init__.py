"""Trainings, experiments, exports and benches of single games, a folder a game, and measurements of any game."""
