"""How well a taste is learned from a few ratings: simulated people, maps of Homeguard, and the whole loop."""
