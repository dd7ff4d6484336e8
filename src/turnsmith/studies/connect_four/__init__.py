"""Trainings, experiments and benches of connect_four."""
