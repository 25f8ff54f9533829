"""Tables of facts as HTML."""

from __future__ import annotations

import pytest

from notebooks.widgets.base.html_tables import Fact, grid, table


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (Fact("n", 1234), "1,234"),
        (Fact("gain", 1.5, "%", is_change=True), "+1.5%"),
        (Fact("gain", -1234.5, " USD", is_change=True), "−1,234.50 USD"),
        (Fact("win rate", 56.7, "%"), "56.7%"),
        (Fact("rank", None), "–"),
    ],
)
def test_a_number_has_separators_a_unit_and_its_sign(fact: Fact, text: str):
    """The sign only where it is a change; a dash where the value is missing."""
    assert f'<td class="number">{text}</td>' in table("facts", [fact])


def test_texts_are_escaped():
    assert "<i>" not in table("<i>", [Fact("<i>", "<i>")]) + grid("<i>", ["<i>"], [["<i>"]])


def test_without_rows_there_is_no_table():
    assert table("facts", []) == grid("facts", ["name"], []) == ""
