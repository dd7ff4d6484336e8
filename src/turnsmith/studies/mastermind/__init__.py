"""Trainings, experiments and benches of mastermind."""
