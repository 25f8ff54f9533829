"""Instants as unix seconds and as text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from service.market.instants import iso, iso_all, unix


def test_an_instant_is_written_in_utc_with_z():
    assert iso(1_798_761_599) == "2026-12-31T23:59:59Z"


@given(st.integers(0, 2**35))
def test_an_instant_survives_its_text(time: int):
    assert unix(iso(time)) == time


@given(st.lists(st.integers(0, 2**35), max_size=5))
def test_many_instants_are_written_like_one(times: list[int]):
    assert iso_all(np.array(times, dtype=np.int64)) == [iso(time) for time in times]


def test_an_offset_is_converted_to_utc():
    assert unix("2027-01-01T01:59:59+02:00") == 1_798_761_599
