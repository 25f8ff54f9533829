"""The texts of outside markets: a complete question, and the rules on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions.wording import TAG, plain, wording


@pytest.mark.parametrize(
    ("question", "group", "complete"),
    [
        ("Bitcoin Up or Down - March 11, 2PM ET", "", "Will Bitcoin be up - March 11, 2PM ET"),
        ("Bitcoin Up or Down on March 11?", "", "Will Bitcoin be up on March 11?"),
        ("Bitcoin above ___ on March 11?", "64,000", "Bitcoin above $64,000 on March 11?"),
        ("Bitcoin above $___ on March 11?", "$64,000", "Bitcoin above $64,000 on March 11?"),
        ("What price will Ethereum hit March 9-15?", "↑ 2,400", "Will Ethereum reach $2,400 March 9-15?"),
        ("What price will Ethereum hit March 9-15?", "↓ 1,800", "Will Ethereum dip to $1,800 March 9-15?"),
        ("What price will Ethereum hit March 9-15?", "2,400", "What price will Ethereum hit March 9-15?"),
        ("Bitcoin price on Mar 15, 2026?", "$75,000 or above", "Will Bitcoin be $75,000 or above on Mar 15, 2026?"),
        (
            "Bitcoin price range on Mar 15, 2026?",
            "$75,900 to 75,999.99",
            "Will Bitcoin be $75,900 to 75,999.99 on Mar 15, 2026?",
        ),
        ("Will Bitcoin reach $100,000 in March?", "↑ 100,000", "Will Bitcoin reach $100,000 in March?"),
        ("Bitcoin above ___ on March 11?", r"\1", r"Bitcoin above $\1 on March 11?"),
    ],
)
def test_a_question_is_completed_from_its_group(question, group, complete):
    assert wording(question, group) == complete


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ("One.\n\nTwo\tthree.", "One. Two three."),
        ("<b>Yes</b> if <script>x</script>", "Yes if x"),
        ("&lt;b&gt;Yes&lt;/b&gt; &amp; no", "Yes & no"),
        ("as [Chainlink](https://data.chain.link) says", "as Chainlink says"),
        ("**Yes** if `a_b`\x07\u202e\ud800", "Yes if a b"),
        ("Yes if 1 < 2 and 3 > 2", "Yes if 1 < 2 and 3 > 2"),
        ("<<b>script>", "< script>"),
    ],
)
def test_rules_are_published_without_markup(rules, text):
    assert plain(rules) == text


@given(st.text(max_size=600))
def test_rules_are_published_on_one_short_line(rules):
    text = plain(rules)
    assert len(text) <= 200
    assert text.isprintable()
    assert not TAG.search(text)
