"""Studios: maps that are shown and rated, and others made from that."""
