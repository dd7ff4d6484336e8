"""A person's taste in maps: what is told from a few ratings of how the others would be liked."""
