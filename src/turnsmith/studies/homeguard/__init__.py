"""Trainings, experiments and benches of homeguard."""
