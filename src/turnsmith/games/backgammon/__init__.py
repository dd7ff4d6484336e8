"""Backgammon: race your checkers home by dice, and hit the other's on the way.

Seats name the points from their own side: checkers go from 24 down to 1 and then off. Chance rolls who begins, then
two dice a turn, each played by one checker, a double twice over. A point with two or more of the other's checkers is
closed; a single one is hit and starts again from the bar, and nothing else may move before it has. Checkers go off when
all are on 6 or below, by the exact number, or by a larger one from the farthest point. Both dice must be played if that
can be done, else the larger if it can. Whoever has all 15 off wins, 1 point, or more with `most`.
"""
