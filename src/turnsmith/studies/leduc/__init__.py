"""Benches of Leduc poker."""
