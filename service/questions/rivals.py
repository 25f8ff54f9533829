"""The other asset of a comparison in a follow-up: "than gold?", "does sol beat it?", "bitcoin instead of silver"."""

from __future__ import annotations

from collections.abc import Sequence

from service.questions.back_references import WINS
from service.questions.carryover import ENDS_OF_RANGE, EXCHANGE
from service.questions.criterion import invalid
from service.questions.lexicon import forms
from service.questions.parse import Carryover
from service.questions.question import Question
from service.questions.subject import MORE_WORDS, THAN
from service.questions.tokens import Token
from service.questions.vocabulary import OWN_EVENT, Language

# Kinds that ask for one of two assets, and kinds before the other one of a comparison: "than gold", "against eth".
CHOOSING, RIVALS = {"which", "who"}, {"than", "versus"}
# Endings of the other asset of a comparison in Turkish and Japanese.
CASES = forms("object")


def compared(tokens: list[Token], earlier: Question, language: Language, carryover: set[Carryover]) -> list[Token]:
    """The tokens of a comparison with what they leave out of it: "and gold?", "than eth?", "does sol beat it?"."""
    kinds, is_relative = {token.kind for token in tokens}, earlier.comparator == "relative"
    if is_relative and kinds & CHOOSING and not kinds & (OWN_EVENT - CHOOSING):  # "and which one this week?"
        tokens = [token for token in tokens if token.kind not in CHOOSING]
    assets = {token.value for token in tokens if token.kind == "asset" and is_relative}
    is_rival = len(assets) == 1 and _is_rival(tokens, language)
    is_pair = len(assets) == ENDS_OF_RANGE and not kinds & (OWN_EVENT | {"or", "because"})
    has_verb = len(assets) == 1 and kinds & (WINS | {"better", "underperform"}) and "number" not in kinds
    other = str(earlier.asset if is_rival else earlier.other_asset)
    if "both_of" in kinds and kinds & (WINS | {"better"}):
        raise invalid("Only two assets are compared. Ask in full which of two returns more.", "asset")
    if (is_rival or has_verb) and other in assets:
        raise invalid("An asset is not compared with itself. Ask in full which of two assets returns more.")
    if is_rival or is_pair:
        carryover |= {"comparator", *(("asset",) if is_rival else ())}
        asset = [Token("asset", earlier.asset, earlier.asset)] if is_rival else []
        return [*asset, Token("versus", ""), *(token for token in tokens if token.kind not in RIVALS)]
    if has_verb:
        place = [token.kind for token in tokens].index("asset") + 1
        carryover.add("other_asset")
        return [*tokens[:place], Token("asset", other, other), *tokens[place:]]
    has_margin = "percent" in kinds or kinds >= {"above", "number"}
    if is_relative and has_margin and not assets and not kinds & (OWN_EVENT | {"up", "down"}):
        raise invalid("By how much one asset returns more is not forecast. Ask which of the two returns more.")
    if any(token.text in MORE_WORDS for token in tokens):
        raise invalid("What is compared is unclear. Ask in full which of the two assets returns more.")
    return tokens


def exchanged(tokens: list[Token], earlier: Question, carryover: set[Carryover]) -> list[Token]:
    """The tokens with what stands in for an earlier asset: "bitcoin instead of silver", "swap ada for doge"."""
    assets = dict.fromkeys(str(token.value) for token in tokens if token.kind == "asset")
    replacement = [asset for asset in assets if asset not in earlier.assets]
    if len(assets) != 2 or len(replacement) != 1:
        return tokens
    rest = [token for token in tokens if token.value not in (EXCHANGE, *assets)]
    if earlier.other_asset and any(token.kind == "and" for token in rest):  # "switch to eth and gold"
        carryover.add("comparator")
        first, second = (Token("asset", asset, asset) for asset in assets)
        return [first, Token("versus", ""), second, *(token for token in rest if token.kind != "and")]
    pair = [replacement[0] if asset in assets else asset for asset in earlier.assets]
    if earlier.other_asset:
        carryover |= {"comparator", "asset" if earlier.asset in pair else "other_asset"}
    first, *others = [Token("asset", asset, asset) for asset in pair]
    return [first, *(token for other in others for token in (Token("versus", ""), other)), *rest]


def _is_rival(tokens: Sequence[Token], language: Language) -> bool:
    """Whether it names the other asset of a comparison: "than gold?", "beats eth?", Turkish "bitcoini geçer mi"."""
    kinds = [token.kind for token in tokens]
    place, is_compared = kinds.index("asset"), any(token.kind in RIVALS or token.text in THAN for token in tokens)
    has_case = tokens[place].text[-1] in "iu" or any(token.text in CASES for token in tokens)
    return is_compared or bool(WINS & {*(kinds if language.postpositions and has_case else kinds[:place])})
