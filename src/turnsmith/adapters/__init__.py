"""What lets other programs use what turnsmith has: players as files of other languages and
engines, games as environments of other frameworks."""
