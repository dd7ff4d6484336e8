"""Learning from games: runs that go on after a kill, honest splits and scores. Nets play without it (``nets/``)."""
