"""Mastermind written again, as plainly as possible, to compare with: nothing here uses the game's own code."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import prod

import numpy as np


def answer(guess, secret):
    """(red, white) of two tuples of colours."""
    red = sum(a == b for a, b in zip(guess, secret, strict=True))
    return red, sum((Counter(guess) & Counter(secret)).values()) - red


class Reference:
    """A small board: its codes as tuples, its answers as numbers by red, then white, and who answers what."""

    def __init__(self, colors, pegs):
        self.colors, self.pegs = colors, pegs
        self.codes = list(product(range(colors), repeat=pegs))
        pairs = [(red, white) for red in range(pegs + 1) for white in range(pegs + 1 - red)]
        self.answers = [pair for pair in pairs if pair != (pegs - 1, 1)]
        number = {pair: index for index, pair in enumerate(self.answers)}
        self.table = np.array([[number[answer(a, b)] for b in self.codes] for a in self.codes])
        self.win = len(self.answers) - 1

    def parts(self, guess, codes):
        """Answer -> the codes (ascending) that give it."""
        found = {}
        for code in codes:
            found.setdefault(int(self.table[guess, code]), []).append(code)
        return found

    def best_guess(self, name, codes):
        """The guess of a one-step strategy: every code is looked at; a possible code wins ties, then the lowest."""
        sizes = np.stack([(self.table[:, codes] == a).sum(axis=1) for a in range(len(self.answers))], axis=1)
        if name == "knuth":
            values = sizes.max(axis=1).tolist()
        elif name == "expected-size":
            values = (sizes**2).sum(axis=1).tolist()
        elif name == "most-parts":
            values = (-(sizes > 0).sum(axis=1)).tolist()
        else:  # least product of n ** n, in whole numbers, of those that come near
            about = np.where(sizes > 0, sizes * np.log2(np.maximum(sizes, 1)), 0.0).sum(axis=1)
            near = about < about.min() + 1e-6
            values = [
                prod(int(n) ** int(n) for n in row) if ok else np.inf for row, ok in zip(sizes, near, strict=True)
            ]
        possible = set(codes)
        return min(range(len(values)), key=lambda guess: (values[guess], guess not in possible, guess))

    def plan(self, choose):
        """{history of (guess, answer): guess} of a whole strategy, and the sum of its guesses."""
        plan, total, waiting = {}, 0, [((), list(range(len(self.codes))), 1)]
        while waiting:
            history, left, turn = waiting.pop()
            guess = plan[history] = choose(left)
            for given, part in self.parts(guess, left).items():
                total += turn if given == self.win else 0
                if given != self.win:
                    waiting.append(((*history, (guess, given)), part, turn + 1))
        return plan, total

    @cache  # noqa: B019 - a test's reference lives as long as the test
    def least(self, codes):
        """The least sum of guesses for a tuple of codes, by trying everything."""
        if len(codes) <= 2:
            return 2 * len(codes) - 1
        best = None
        for guess in range(len(self.codes)):
            parts = self.parts(guess, codes)
            if len(parts) > 1:
                cost = len(codes) + sum(self.least(tuple(p)) for a, p in parts.items() if a != self.win)
                best = cost if best is None else min(best, cost)
        return best

    def frequent(self, codes):
        """The possible codes whose different colours occur in the most of them."""
        often = Counter(colour for code in codes for colour in set(self.codes[code]))
        value = {code: sum(often[colour] for colour in set(self.codes[code])) for code in codes}
        return [code for code in codes if value[code] == max(value.values())]

    @cache  # noqa: B019
    def by_lot(self, codes, frequent=False):
        """The expected sum of guesses when every guess is drawn from the possible codes, or the `frequent` of them."""
        if len(codes) <= 2:
            return Fraction(2 * len(codes) - 1)
        total, lots = Fraction(0), self.frequent(codes) if frequent else codes
        for guess in lots:
            parts = self.parts(guess, codes)
            total += len(codes) + sum(self.by_lot(tuple(p), frequent) for a, p in parts.items() if a != self.win)
        return total / len(lots)

    def lowest_of_orbit(self, history):
        """The lowest code of each orbit under all symmetries that leave the guesses of a history as they are."""
        number = {code: index for index, code in enumerate(self.codes)}
        lowest = list(range(len(self.codes)))
        for order in permutations(range(self.pegs)):
            for names in permutations(range(self.colors)):
                image = [number[tuple(names[code[place]] for place in order)] for code in self.codes]
                if all(image[guess] == guess for guess in history):
                    lowest = [min(low, image[code]) for code, low in enumerate(lowest)]
        return sorted(set(lowest)), Counter(lowest)
