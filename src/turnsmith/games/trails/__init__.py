"""Trails: leave a wall behind you, and be the last who can still move.

Two to four seats move their heads in turn, one cell up, down, left or right onto a free one; where a head has been, a
wall stays, for everybody. Who cannot move is out. The last one left wins. Cells are called a1 (top left), b1, ….

The estimate counts the cells to which each head is nearest, whoever moves first being nearer of equals.
"""
