"""The public conformance suite: does a game keep the contract? ``turnsmith.check(…)`` says."""

from turnsmith.public import make_callable

make_callable(__name__)
