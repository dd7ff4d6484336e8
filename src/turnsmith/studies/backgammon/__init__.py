"""What of backgammon is learned: what positions are worth."""
