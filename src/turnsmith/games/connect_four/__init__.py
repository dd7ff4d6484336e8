"""Connect Four: drop stones into columns, four in a row wins.

Two seats take turns; a stone falls to the lowest free cell of its column. Whoever first has `connect` own stones in
a line, across, up or diagonally, wins; a full board is a draw. Columns are called a, b, c, ….

A seat's stones are bits of one number: column x, row y (from the bottom) is bit x·(height + 1) + y, and the spare bit
above each column keeps lines from wrapping around.

With perfect play whoever begins wins, with d and nothing else; c and e are drawn, a, b, f and g lose. `perfect` (the
level `expert`) plays like that on 7 x 6, on either side and against anybody: a table of 47 kB holds what to play with
up to 12 stones on the board, for every position it can come to, and then the exact solver takes over. The table is made
by `turnsmith train connect_four openings` (seven minutes of one core, nearly all of it for the first two moves; killed,
it goes on where it was).

CPU time of a decision of `perfect` on one core (`python bench/perfect_times.py`, and with `mcts:simulations=300 25`);
it won all of these games, as seat 0 and as seat 1:

| games from the first move | mean | worst |
|---|---|---|
| 300 against `random` | 0.6 ms | 0.29 s |
| 50 against `mcts:simulations=300` | 2.3 ms | 0.31 s |

Put into a position that it would not have come to itself, it takes longer for its first decision: after 14 random
stones 0.03 s, at worst 0.44 s of 45; after 12 0.06 s, 0.67 s of 50; after 10 0.18 s, 1.6 s of 55; with fewer, up to
minutes.

The evaluation counts threats and whether the rows they are in fall to their owner when the board fills up. With it
`negamax:depth=6` wins 75.5 % (70.3–80.0) of 300 games against `mcts:simulations=2000`; blind, with every position
counted as even, it won 3.2 % (1.7–5.8). (`turnsmith arena connect_four --players negamax:depth=6,mcts:simulations=2000
--games 300`) Against OpenSpiel's MCTS in C++ with twice the CPU time a move, 10.6 ms against 5.2, `negamax:depth=10`
scores 97.5 % (92.3–99.2) of 100 games. (`python bench/negamax_and_open_spiel.py 100`)

Any position is solved exactly in Python, in hundredths of a second from 14 stones on:

    from turnsmith.games.connect_four.solver import solve_exact

    solve_exact(position)                  # {'a': -1, 'b': 0, …}: 1 won, 0 drawn, -1 lost for the seat to move
    solve_exact(position, in_stones=True)  # by how much: a win with one's last stone is 1, one stone earlier 2, …
"""
