"""Making maps: children of the maps somebody liked, kept apart by what they are like, judged without being played."""
