"""Trainings, experiments and benches of pig."""
