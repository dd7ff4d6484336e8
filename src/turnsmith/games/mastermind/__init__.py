"""Mastermind: find a hidden row of coloured pegs from what each guess matched.

A code is a row of `pegs` pegs, each of one of `colors` colours, repeats allowed (standard: 4 pegs, 6 colours, 1296
codes). Chance hides one of them, each as likely. A guess is any code; its answer counts the pegs of the right colour in
the right place (red) and those of the right colour in a wrong place (white), each peg matching at most once. The code
is broken when all pegs are red; there are at most `tries` guesses, and a code that stays unbroken counts as `tries`.
The return of the one seat is minus the number of guesses, so the measure is the expected number of guesses.

Colours are called a, b, c, …; a guess is written `a a b b` (or `aabb`), an answer `2+1`: two red, one white. A code's
number reads its pegs as digits, the first peg being the most significant.

With `maker=seat` nothing is dealt: a second seat answers each guess, as a person does who holds a real board (or a
devil who keeps the secret open). Only answers that leave at least one code possible are legal.

Players (`turnsmith players mastermind`); expected guesses over every secret with 6 colours and 4 pegs:

| player | how it picks | exact mean |
|---|---|---|
| random | any code | 9.9653 |
| random-unique | any code not played yet | 9.9653 |
| eliminate | a random code that is still possible | 4.6435 |
| eliminate-frequency | a possible code whose different colours occur in the most possible codes | 4.6554 |
| learned | coded planning, by answers [learned from play](../explanation/mastermind-learned.md) | 5670/1296 = 4.3750 |
| knuth | the guess whose largest part is smallest | 5801/1296 = 4.4761, at most 5 |
| entropy | the guess that tells most bits | 5722/1296 = 4.4151 |
| expected-size | the guess that leaves fewest codes on average | 5696/1296 = 4.3951 |
| most-parts | the guess with most different answers | 5668/1296 = 4.3735 |
| optimal | proven least expected guesses | 5625/1296 = 4.3403 |

Those who eliminate draw lots among equals; the others' ties go to a code that is still possible, then to the lowest.
Each of the last five is a strategy tree, built once a board, kept on disk and exportable (`turnsmith strategy
mastermind --player knuth --to knuth.dot`). `optimal` is optimal where the tries do not run out; its proof is a branch
and bound over all guesses, up to symmetry. What was asked of learners comes from [Blažek's
thesis](../explanation/documents.md#mastermind).
"""

MOST_COLORS, MOST_PEGS = 6, 4
"""Of the largest board that `learned` can learn: it keeps the answers to all pairs of codes."""
