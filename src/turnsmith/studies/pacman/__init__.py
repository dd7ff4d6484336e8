"""Trainings, experiments and benches of pacman."""
