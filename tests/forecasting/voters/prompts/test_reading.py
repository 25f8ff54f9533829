"""The answers of language models, read leniently around the JSON and strictly within it."""

from __future__ import annotations

import json
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from service.forecasting.voters.prompts.reading import SCHEMA, THOUGHTS, WRAPPERS, ModelAnswer, UnusableAnswer, read

DRAFT = '{"probability_yes": 3, "probability_higher": 5, "reasoning": "A draft."}'


def answer(probability: object = 62, reasoning: object = "The week was strong.", **fields: object) -> str:
    votes = {"probability_yes": probability, "probability_higher": 50}
    return json.dumps({"reasoning": reasoning} | votes | fields)


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "```json\n{}\n```",
        "Sure! Here it is: {} I hope {{this}} helps.",
        "<think>It may be {{'probability_yes': 3}} or {{\"probability_yes\": 4}}.</think>\n{}",
        "\ufeff{}",
        '{{"plan": "none"}}\n{}',
        "[{}]",
        *(f'{{{{"{name}": {{}}}}}}' for name in WRAPPERS),
        '{{"result": [{{"answer": {}}}], "thinking": {{"probability_yes": 3}}}}',
        "{}{}\n\nAgain: {}",
    ],
)
def test_one_answer_is_read_whatever_surrounds_it(frame: str):
    result = read(frame.format(*[answer()] * frame.count("{}")))
    assert (result.p, result.reasoning, result.p_up) == (0.62, "The week was strong.", 0.5)


@pytest.mark.parametrize(
    "text",
    [
        *(f"<{name}>{DRAFT}</{name}>ANSWER" for name in THOUGHTS.split("|") if "?" not in name),
        f"<Thinking>{DRAFT}</Thinking>ANSWER",
        f"<think>{DRAFT}",
        f"ANSWER<think>{DRAFT}",
        f"ANSWER<reflection>{DRAFT}</reflection>",
        f"<thinking><reflection>{DRAFT}</reflection>{DRAFT}</thinking><output>ANSWER</output>",
        f"<think>not <think> or </thinking> {DRAFT}</think>ANSWER",
        f"{DRAFT}</think>ANSWER",
        f"{DRAFT}</think>{DRAFT}</think>ANSWER",
        f"{DRAFT}<reflection>no</reflection></think>ANSWER",
        f"<thinking><reflection>no</reflection>{DRAFT}",
        f"<seed:think>{DRAFT}</seed:think>ANSWER",
        f"<|thinking|>{DRAFT}</|thinking|>ANSWER",
        f"<|begin_of_thought|>{DRAFT}<|end_of_thought|><|begin_of_solution|>ANSWER<|end_of_solution|>",
        f"[THINK]{DRAFT}[/THINK]ANSWER",
        f"◁think▷{DRAFT}◁/think▷ANSWER",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>ANSWER<|return|>",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>commentary to=x <|constrain|>json"
        f"<|message|>{DRAFT}<|call|><|start|>assistant<|channel|>final <|constrain|>json<|message|>ANSWER",
        f"<|channel|>analysis<|message|>{DRAFT}",
        f"analysis{DRAFT} so it is.assistantcommentary{DRAFT}assistantfinal ANSWER",
        f"<|channel>thought\n{DRAFT}<channel|>ANSWER",
    ],
)
def test_a_draft_in_thoughts_is_no_answer(text: str):
    """Whatever marks them, without their beginning as where a template has it, and without their end."""
    if "ANSWER" in text:
        assert read(text.replace("ANSWER", answer())).p == 0.62
    else:
        with pytest.raises(UnusableAnswer, match="gave no probability_yes"):
            read(text)


def test_of_equal_votes_the_last_counts():
    """Another reasoning is no other vote; another probability is one. A vote counts without a view of the price."""
    assert read(answer(reasoning="First.") + answer(reasoning="Last.")).reasoning == "Last."
    for other in ({"probability": 3}, {"probability_higher": 49}):
        with pytest.raises(UnusableAnswer, match="gave more than one answer"):
            read(answer() + answer(**other))
    assert read(json.dumps({"reasoning": "The week was strong.", "probability_yes": 62})).p_up is None
    with pytest.raises(UnusableAnswer, match="gave a probability_higher that is not a whole number"):
        read(answer(probability_higher=900))


@pytest.mark.parametrize(
    ("percent", "p"),
    [
        *((0, 0.01), (1, 0.01), (2, 0.02), (50, 0.5), (99, 0.99), (100, 0.99)),
        *((text, 0.62) for text in (62.0, "62", "62.0", "62%", " 62 % ", "062")),
    ],
)
def test_probabilities_are_cut_at_1_and_99_percent(percent: object, p: float):
    """A whole percentage may be a text."""
    assert read(answer(percent)).p == p


@pytest.mark.parametrize(
    "probability",
    [
        *(900, -1, 101, 0.62, 62.5, 1.0, True, False, None, [62]),
        *("0.62", "1.0", "62.5%", "62 of 100", "about 62", "", "-62", "101%", "٣٫٥"),
        *({"value": 62}, float("nan"), float("inf"), 10**30, 1e300),
    ],
)
def test_only_whole_percentages_are_probabilities(probability: object):
    with pytest.raises(UnusableAnswer, match="not a whole number from 0 to 100"):
        read(answer(probability))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "gave no probability_yes"),
        ("I would say 62 %.", "gave no probability_yes"),
        ("[62]", "gave no probability_yes"),
        ('{"example": {"probability_yes": 62, "reasoning": "nested"}}', "gave no probability_yes"),
        ('{"answer": [{"probability_yes": 62}, {"probability_yes": 3}]}', "gave no probability_yes"),
        ('{"probability_yes": 62, "reasoning": "cut o', "gave no probability_yes"),
        ('{"reasoning": "x", "probability_yes": ' + "9" * 5000 + "}", "gave no probability_yes"),
        (answer() + answer(3), "gave more than one answer"),
        ('{"probability_yes": 3, "probability_yes": 97, "reasoning": "x"}', "named a field twice"),
        ('{"probability_yes": 3}', "gave no reasoning"),
        (answer(reasoning=["x"]), "gave no reasoning"),
        (answer(reasoning=" <b></b>\u202e\x00 "), "gave no reasoning"),
        (answer() + " " * 20_000, "gave an answer that is too long"),
        ('{"a":' * 3000, "gave an answer that is nested too deeply"),
    ],
)
def test_a_refusal_quotes_nothing_of_the_answer(text: str, reason: str):
    with pytest.raises(UnusableAnswer) as refusal:
        read(text)
    assert str(refusal.value) == reason


@pytest.mark.parametrize(
    ("reasoning", "plain"),
    [
        ("**Strong** `week`, see [this](https://evil.example/x?y=1).", "Strong week, see this."),
        ("<img src=x onerror=alert(1)>up <script>now</script>", "up now"),
        ("＜b＞wide＜/b＞", "wide"),
        ("a\u202eb\u200bc\x00d\ne", "abc d e"),
        ("go to evil.com or t.me/x, @everyone", "go to evil. com or t. me/x, everyone"),
        ("at http://evil.example/a?b=c, and git+ssh://x and ://y", "at and git+ and"),
        ("ht*tp://evil.example now", "now"),
        ("up 1.5 % or so, i.e. a little. Yes", "up 1.5 % or so, i.e. a little. Yes"),
        ("\ud800lone", "lone"),
        ("<think>It fell.</think> It rises.", "It rises."),
    ],
)
def test_reasoning_loses_markup_addresses_and_invisible_signs(reasoning: str, plain: str):
    """A long one is cut."""
    assert read(answer(reasoning=reasoning)).reasoning == plain
    assert read(answer(reasoning="word " * 200)).reasoning == "word " * 79 + "word…"


def outcome_of(text: str) -> ModelAnswer | str:
    """The answer or the reason of the refusal, within its bounds."""
    try:
        result = read(text)
    except UnusableAnswer as refusal:
        result = str(refusal)
    if isinstance(result, str):
        assert 0 < len(result) <= 80
        return result
    assert 0.01 <= result.p <= 0.99
    assert 0 < len(result.reasoning) <= 400
    assert not set(result.reasoning) & set("<>[]{}|\\`*_~#@")
    assert "://" not in result.reasoning
    assert not {unicodedata.category(letter) for letter in result.reasoning} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    return result


SIGNS = ('{"', '"', ":", "{", "}", "[", "]", ",", "probability_yes", "reasoning", "62", "\\", "a")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(text=st.text() | st.lists(st.sampled_from(SIGNS)).map("".join))
def test_any_text_is_read_or_refused(text: str):
    assert outcome_of(text)


@given(before=st.text(alphabet="ab <`\n"), probability=JSON, reasoning=JSON, after=st.text(alphabet="ab >`\n"))
def test_any_values_are_read_or_refused(before: str, probability: object, reasoning: object, after: str):
    assert outcome_of(before + answer(probability, reasoning) + after)


@given(probability=st.integers(0, 100), reasoning=st.text(min_size=1))
@example(probability=0, reasoning="an <ANALYSIS> of the last week")
def test_a_sound_probability_is_refused_only_for_its_reasoning(probability: int, reasoning: str):
    outcome = outcome_of(answer(probability, reasoning))
    assert outcome == "gave no reasoning" or outcome.p == min(0.99, max(0.01, probability / 100))


@pytest.mark.parametrize(
    "piece",
    [
        *("{", '{"', '{"a":"', '{"a":1,', '{"\\"', "{ ", '{"a":[[', "<", "a://", "a", "](", ". a", '"<', "<think>"),
        *("</think>", "<|channel|>", "<a:", '{"answer":'),
    ],
)
def test_no_text_takes_long_to_read(piece: str):
    """Measured 0.1 to 30 ms for the longest text on an idle machine; allowed 2 s."""
    began = time.process_time()
    assert outcome_of((piece * 20_000)[:20_000])
    assert outcome_of(answer(reasoning=(piece * 9_000)[:9_000]))
    assert time.process_time() - began < 2.0


def test_the_schema_is_tight():
    """An integer from 0 to 100 and a sentence of plain characters, both required, and nothing else."""
    Draft202012Validator.check_schema(SCHEMA)
    schema = Draft202012Validator(SCHEMA)
    assert schema.is_valid(json.loads(answer()))
    texts = [answer(101), answer(0.5), answer("62"), answer(more=1)]
    texts += [answer(reasoning=reasoning) for reasoning in ("", "<b>", "x" * 401)]
    assert not any(schema.is_valid(json.loads(text)) for text in (*texts, '{"probability_yes": 62}'))
