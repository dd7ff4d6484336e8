"""Evolving players by play: optimisers that are asked and told, fitness in the same games for all, a league."""
