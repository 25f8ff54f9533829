"""The longest run of right answers to expect by luck alone."""

from __future__ import annotations

NEGLIGIBLE = 1e-9


def best_of_flippers(flippers: int, questions: int) -> float:
    """The expected longest run of right answers of the best of several coin flippers.

    It is the sum over k of 1 - P(one flipper has no run longer than k) ** flippers; terms below 1e-9 are omitted.

    >>> round(best_of_flippers(9, 50), 1)
    8.0
    """
    expected, longest = 0.0, 0
    while longest < questions:
        beyond = 1 - never_beyond(longest, questions) ** flippers
        if beyond < NEGLIGIBLE:
            break
        expected, longest = expected + beyond, longest + 1
    return expected


def never_beyond(longest: int, flips: int) -> float:
    """The probability that the flips of a coin contain no run of heads longer than `longest` (Feller 1968, XIII.7).

    f(n) = f(n - 1) - f(n - longest - 2) / 2**(longest + 2): the last flip completes the first longer run only after a
    tail and `longest` heads.
    """
    shares = [1.0] * (longest + 1) + [1 - 0.5 ** (longest + 1)]
    for n in range(longest + 2, flips + 1):
        shares.append(shares[n - 1] - shares[n - longest - 2] * 0.5 ** (longest + 2))
    return shares[flips]
