"""Connect Four: drop stones into columns, four in a row wins.

Two seats take turns; a stone falls to the lowest free cell of its column. Whoever first has `connect` own stones in
a line, across, up or diagonally, wins; a full board is a draw. Columns are called a, b, c, ….

A seat's stones are bits of one number: column x, row y (from the bottom) is bit x·(height + 1) + y, and the spare bit
above each column keeps lines from wrapping around.

Any position is solved exactly in Python, in hundredths of a second from 14 stones on:

    from turnsmith.games.connect_four.solver import solve_exact

    solve_exact(position)                  # {'a': -1, 'b': 0, …}: 1 won, 0 drawn, -1 lost for the seat to move
    solve_exact(position, in_stones=True)  # by how much: a win with one's last stone is 1, one stone earlier 2, …
"""
