"""The asset that the question is about, and the asset that it is compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from service.market.assets import ASSETS, asset_of
from service.questions.amounts import find_amounts
from service.questions.circumstances import Circumstances
from service.questions.coins import is_single_coin
from service.questions.criterion import NAMES, Assumption, invalid, is_near
from service.questions.dates.deadline import find_deadline
from service.questions.lexicon import forms
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, Language

# "More" and "than" with other words between them: "¿Subirá más el oro que la plata?"
MORE_WORDS = forms("more")
THAN, THAN_BEHIND = forms("than"), forms("than_behind")
# Markets that an asset before their name only describes.
DESCRIPTIONS = {"coin", "company", "fund", "lookalike"}
PEGGED = "A stablecoin is meant to stay at a fixed price, so its price is not covered."
STAND_IN = Assumption("Bitcoin is the stand-in for the whole crypto market.", "asset")
# Kinds between a verb and the market that is exceeded: Spanish "superará a la plata", French "dépassera-t-il l'argent".
BETWEEN_RIVALS = {"the", "to", "athour", "filler", "q"}
COMPARATIVES = {"above", "below", "exceed"}
COMPARISONS = {"outperform", "underperform", "versus", "better", "which"}
# Words for the ratio of two prices, alone between the names of two assets ("eth to btc"), and for the ounce of one.
RATIOS, PER, OUNCES = forms("ratio"), forms("per"), forms("ounce")


@dataclass(frozen=True)
class Subject:
    """The asset, the asset that it is compared with, if any, and further assets, which are ignored (`left_out`)."""

    asset: str
    other: str | None = None
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def refuse_ratio(tokens: Sequence[Token], language: Language, circumstances: Circumstances) -> None:
    """Refuse the ratio of two prices, or its level: "what will the gold silver ratio be", "eth/btc above 0.045"."""
    places = [place for place, token in enumerate(tokens) if token.kind == "asset"]
    names = list(dict.fromkeys(str(tokens[place].value) for place in places))
    if len(names) != 2 or not _is_ratio(tokens, places, names[1]):
        return
    rest = find_deadline(tokens, circumstances.now, language, is_strict=False).rest
    levels = [amount for amount in find_amounts(rest) if not amount.is_percent and not amount.is_multiple]
    spot = circumstances.spots.get(names[0], math.nan)
    kinds = {token.kind for token in tokens}
    asks = "which" in kinds or ("be" in kinds and kinds & {"what", "how"})
    asks_value = asks and kinds.isdisjoint(BULL | BEAR | COMPARISONS - {"which"})
    is_asked = asks_value and any(token.text in RATIOS for token in tokens)
    if is_asked or (levels and not any(is_near(level.value(spot), spot) for level in levels)):
        raise invalid("The ratio of two prices is not forecast. Ask which of the two returns more.", "ratio")


def _is_ratio(tokens: Sequence[Token], places: Sequence[int], other: str) -> bool:
    """Whether two assets stand beside each other, or a word for their ratio beside them."""
    second = next(place for place in places if tokens[place].value == other)
    gap = tokens[max(place for place in places if place < second) + 1 : second]
    is_joined = all(token.text == "/" or token.kind == "versus" or token.text in PER for token in gap)
    kinds, words = {token.kind for token in tokens}, {token.text for token in tokens}
    is_counted = tokens[second - 1].kind in ("number", "numword")  # "will one eth buy more than 25 sol"
    return is_joined or is_counted or bool(words & RATIOS) or ("how" in kinds and bool(words & OUNCES))


def find_subject(main: Sequence[Token], around: Sequence[Token], circumstances: Circumstances) -> Subject:
    """The first market named in `main`, or else in the tokens around it.

    Raises InvalidQuestion for a market that is not followed, and for an asset without a price in `spots`.
    """
    spots, coins = circumstances.spots, circumstances.coins
    tokens = main if _markets(main) else [*around, *main]
    markets = _markets(tokens)
    assets = list(dict.fromkeys(str(token.value) for token in markets if token.kind == "asset"))
    first = markets[0] if markets else Token("other", "")
    is_quote = bool(assets) and first.text in ("usdc", "tether") and tokens[-1] is not first
    is_other = first.kind == "other" and not is_quote
    if is_other or _is_only_described(tokens):
        reason = f" {coins.reason}" if is_other and coins.reason and is_single_coin(first) else ""
        refusal = PEGGED if is_other and first.value == "stablecoin" else f"That market is not covered.{reason}"
        raise invalid(f"{refusal} Ask about one of {NAMES}.", "asset")
    if not assets:
        return Subject(available("btc", spots), notes=(STAND_IN,))
    asset = available(assets[0], spots)
    if _denies_another(tokens, asset):
        raise invalid("One asset is asked about and another one denied. Ask about one of them, without the negation.")
    if not _compares(tokens, assets):
        first_name, *names = (asset_of(asset).name for asset in assets)
        note = f"Only {first_name} was considered. Ask about {' and '.join(names)} separately."
        return Subject(asset, left_out=tuple(assets[1:]), notes=(Assumption(note, "asset"),) if names else ())
    if len(assets) != 2 or any(token.kind == "other" for token in markets):
        raise invalid(f"Compare exactly two of {NAMES}.")
    if any(name.value == asset and than.text in THAN_BEHIND for name, than in pairwise(tokens)):
        assets.reverse()  # "金より銀の方が上がる"
    return Subject(available(assets[0], spots), available(assets[1], spots))


def _denies_another(tokens: Sequence[Token], asset: str) -> bool:
    """Example: "Bitcoin up but not ether"; "neither bitcoin nor ether" is a question about both."""
    denials = [token for before, token in pairwise(tokens) if before.kind == "not" and token.kind == "asset"]
    is_single = sum(token.kind == "not" for token in tokens) == 1
    return is_single and any(token.value != asset for token in denials)


def _markets(tokens: Sequence[Token]) -> list[Token]:
    """The named markets; words for the whole crypto market count only if no other market is named."""
    markets = [token for token in tokens if token.kind in ("asset", "other")]
    return markets or [token for token in tokens if token.kind == "widely"]


def _is_only_described(tokens: Sequence[Token]) -> bool:
    """Example: "Solana memecoins", "bitcoin stocks": the only asset describes a market that is not followed."""
    places = [place for place, token in enumerate(tokens) if token.kind == "asset"]
    return len(places) == 1 and any(token.value in DESCRIPTIONS for token in tokens[places[0] + 1 : places[0] + 2])


def _compares(main: Sequence[Token], assets: Sequence[str]) -> bool:
    kinds = {token.kind for token in main}
    if "overtake" in kinds or is_flip(main):
        raise invalid(
            "Market values are not covered. "
            "Ask which asset returns more. For example: Will ethereum outperform bitcoin this month?",
            "no_price",
        )
    if len(assets) < 2 and "other" not in kinds:
        return False
    places = [place for place, token in enumerate(main) if token.kind in ("asset", "other")]
    is_choice = any(token.kind == "or" for token in main[places[0] : places[-1]])  # "bitcoin or gold?"
    triples = zip(main, main[1:], main[2:], strict=False)
    is_pair = any(sign.text == "/" and first.kind == last.kind == "asset" for first, sign, last in triples)  # "ETH/BTC"
    is_named = bool(kinds & COMPARISONS) or any(token.text in RATIOS | THAN_BEHIND for token in main)
    return is_named or is_choice or is_pair or _is_more_than(main)


def is_flip(main: Sequence[Token]) -> bool:
    """Whether "flip" means overtaking, as in "flip bitcoin"; "flip 100k" breaks a level."""
    return any(verb.text.startswith("flip") and market.kind == "asset" for verb, market in pairwise(main))


def _is_more_than(main: Sequence[Token]) -> bool:
    """Example: "Gain more than ether", "rise more, gold than silver": a market in the place of a level."""
    kinds = [token.kind for token in main if token.kind not in BETWEEN_RIVALS]
    if any(verb in COMPARATIVES and market in ("asset", "other") for verb, market in pairwise(kinds)):
        return True
    tokens = [token for token in main if token.kind != "the"]
    places = [place for place, token in enumerate(tokens) if token.kind in ("asset", "other")]
    behind = [token.kind for token in tokens[places[-1] + 1 :] if token.kind not in ("filler", "ask", "mark", "will")]
    is_verb_last = behind == ["exceed"] and not any(token.kind == "and" for token in tokens)  # "eth btc'yi geçer mi"
    if is_verb_last or any(tokens[place - 1].text in MORE_WORDS for place in places[1:]):
        return True  # "salirà più dell'oro", "вырастет сильнее золота"
    between = tokens[places[0] : places[-1]]
    return any(token.text in MORE_WORDS for token in tokens) and any(token.text in THAN for token in between)


def available(asset: str, spots: Mapping[str, float]) -> str:
    """The asset, if `spots` has a price of it; InvalidQuestion otherwise."""
    if asset in spots and math.isfinite(spots[asset]) and spots[asset] > 0:
        return asset
    names = ", ".join(ASSETS[key].name for key in ASSETS if key in spots) or "none yet"
    raise invalid(f"There is no price of {asset_of(asset).name}. Assets with a price: {names}.", "asset")
