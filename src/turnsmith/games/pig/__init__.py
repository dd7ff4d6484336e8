"""Pig: roll for points, hold before a 1 takes them away.

Two seats (or up to 10) race to `target` points. In a turn one rolls a die as often as one dares: 2 to 6 add to the
turn's total, a 1 loses the total and the turn. Holding banks the total. Whoever holds with at least `target` wins.

The best play of two to 100 points is known by value iteration: whoever starts wins 53.06 % of the time.
"""
