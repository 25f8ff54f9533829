"""From indicators to targets: signs, hysteresis, unknown values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.bars import from_rows
from service.trading.rules.targets import (
    earlier,
    fade_beyond,
    follow_sign,
    hold,
    hold_beyond,
    log_price,
    ratio,
    z_score,
)

NAN = float("nan")


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def test_follow_sign_ignores_rounding_errors():
    assert follow_sign(array(2, -3, 0, NAN, 1e-12, -1e-12)).tolist() == [1, -1, 0, 0, 0, 0]
    assert follow_sign(array(1)).dtype == np.int8


def test_a_position_lasts_to_the_middle_or_other_extreme():
    values = array(NAN, 1, 3, 1, 0.5, -0.5, -3, -1, 3, NAN, 1)
    assert hold_beyond(values, 2).tolist() == [0, 0, 1, 1, 1, 0, -1, -1, 1, 1, 1]
    assert fade_beyond(values, 2).tolist() == [0, 0, -1, -1, -1, 0, 1, 1, -1, -1, -1]


def machine(events: list[tuple[bool, bool, bool, bool]]) -> list[int]:
    """Hysteresis as a state machine: exits are applied before entries."""
    state, states = 0, []
    for enter_long, leave_long, enter_short, leave_short in events:
        if (state == 1 and (leave_long or enter_short)) or (state == -1 and (leave_short or enter_long)):
            state = 0
        if state == 0 and enter_long and not (leave_long or enter_short):
            state = 1
        if state == 0 and enter_short and not (leave_short or enter_long):
            state = -1
        states.append(state)
    return states


@given(st.lists(st.tuples(*[st.booleans()] * 4), max_size=40))
def test_hysteresis_equals_a_state_machine(events):
    columns = np.array(events, bool).reshape(-1, 4).T
    assert hold(*columns).tolist() == machine(events)


def test_earlier_is_nan_at_the_first_bar():
    np.testing.assert_array_equal(earlier(array(1, 2, 3)), array(NAN, 1, 2))
    assert earlier(array()).tolist() == []


def test_a_ratio_needs_a_positive_divisor():
    np.testing.assert_array_equal(ratio(array(1, 1, 1, 6), array(NAN, 0, -1, 3)), array(NAN, NAN, NAN, 2))


def test_a_z_score_by_hand():
    """Of 1, 2, 3: mean 2, standard deviation sqrt(2/3)."""
    assert z_score(array(1, 2, 3), 3)[-1] == pytest.approx(1.5**0.5)
    assert np.isnan(z_score(array(1, 2, 3), 3)[:2]).all()
    assert np.isnan(z_score(array(5, 5, 5), 3)).all()


def test_log_prices_are_measured_from_the_first_bar():
    bars = from_rows([(0, 2, 2, 2, 2, 1), (3600, 4, 4, 4, 4, 1)], 3600)
    np.testing.assert_allclose(log_price(bars), [0, np.log(2)])
    assert log_price(bars[:0]).tolist() == []
