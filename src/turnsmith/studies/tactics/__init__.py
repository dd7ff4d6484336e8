"""Trainings, experiments and benches of tactics."""
