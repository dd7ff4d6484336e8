"""Maps of any game: their files, the game trees grown on them, and what is measured of both."""
