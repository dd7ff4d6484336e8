"""Trainings, experiments and benches of dicewars."""
