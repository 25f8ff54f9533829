"""The words of markets for a scorer made for everyday speech: what they weigh, which weigh nothing, which phrases turn.

Weights are those of VADER, -4 to 4. A phrase is put into a word that means the same before anything is weighed.
"""

from __future__ import annotations

import re

WEIGHTS: dict[float, str] = {
    3.0: "skyrocket skyrockets skyrocketed skyrocketing",
    2.6: "bullish soar soars soared soaring parabolic",
    2.3: """surge surges surged surging rally rallies rallied rallying breakout outperform outperforms outperformed
        uptrend""",
    1.9: """jump jumps jumped jumping spike spikes spiked leap leaps leaped leapt rebound rebounds rebounded rebounding
        reclaim reclaims reclaimed bounce bounces bounced recover recovers recovered recovering recovery inflow inflows
        approve approves approved approval upgrade upgrades upgraded upbeat bull bulls""",
    1.6: """climb climbs climbed climbing rise rises rose rising risen advance advances advanced advancing gain gains
        gained accumulate accumulates accumulated accumulation adopt adopts adopted adoption milestone beat beats
        expand expands expanded highest higher strengthen strengthens firm firms firmed greenlight easing dovish""",
    1.2: """lead leads leading top tops topped buy buys buying bought launch launches launched integrate integrates
        undervalued partnership record lift lifts lifted edge edges""",
    -1.2: """dip dips dipped lag lags lagged lagging sell sells selling sold stall stalls stalled pullback overvalued
        cautious caution tariff tariffs correction delay delays delayed hawkish""",
    -1.6: """slip slips slipped slipping ease eases eased fade fades faded fading drop drops dropped dropping fall falls
        fell falling fallen decline declines declined declining retreat retreats retreated lowest lower shed sheds
        weaken weakens weakened weakening probe probes investigation halt halts halted pause pauses paused
        outage bear bears trail trails dent dents dented weigh weighs weighed""",
    -2.0: """slide slides slid sliding sink sinks sank sinking tumble tumbles tumbled tumbling outflow outflows
        liquidated liquidation liquidations liquidate liquidates downgrade downgrades downgraded downturn downtrend
        underperform underperforms underperformed lawsuit lawsuits sue sues sued suing ban bans banned crackdown
        delist delists delisted delisting bleed bleeds recession drain drained drains contagion capitulate capitulation
        reject rejects rejected rejection""",
    -2.5: """bearish plunge plunges plunged plunging plummet plummets plummeted plummeting slump slumps slumped dump
        dumps dumped dumping nosedive nosedives selloff hack hacks hacked hacker hackers exploit exploits exploited
        breach breached stolen rout depeg depegs depegged rugpull phishing bankruptcy""",
    -3.0: "crash crashes crashed crashing collapse collapses collapsed insolvent insolvency bankrupt meltdown ponzi",
}

# Words of everyday warmth or chill that say nothing of a market.
_EVERYDAY = """
    share shares shared interest interests interested security securities support supports cut cuts cutting gross like
    likes trust trusts asset assets treasury digital value values valued block blocks demand energy calm stable
    stability steady hand please party play special credit treasure united original number fine well matter matters
    safe safely vision reserved intelligent smart chance ready natural important create creates created better best big
    huge great want wants open free peak quiet true care limited popular certain hold holds resistance hope hopes
    straight
"""
WEIGHTLESS = frozenset(_EVERYDAY.split())

_HIGH = r"(?:all[- ]time|record|fresh|new|(?:\d+|one|two|three|six|multi)[- ](?:hour|day|week|month|year))[- ]"
_PRICES = r"\b(?:inflation|cpi|ppi|(?:bond |treasury )?yields|the dollar|dollar index|dxy)"
_SOFTER = r"(?:cool|ease|slow|fall|drop|soften|retreat|weaken|dip|decline|slid)"
_HOTTER = r"(?:firm|strengthen|rise|rose|jump|accelerate|climb|surge|spike|soar|heat)"

REWRITES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\bshorts?[- ](?:squeezed?|liquidat\w+|wiped out)|liquidat\w+ of shorts|squeezes? shorts", "bullish"),
        (r"\brate[- ]cuts?|\b(?:cuts?|cutting|slash\w*|lowers?|trims?) (?:\w+ )?(?:interest )?rates?\b", "bullish"),
        (r"\brate[- ]hikes?|\b(?:hikes?|raises?|raising) (?:\w+ )?(?:interest )?rates?\b|higher for longer", "bearish"),
        (rf"{_PRICES} (?:\w+ )?{_SOFTER}\w*|(?:cooler|softer|cooling|easing) (?:inflation|cpi|ppi)", "bullish"),
        (rf"{_PRICES} (?:\w+ )?{_HOTTER}\w*|(?:hot|hotter|sticky|stubborn)\S* (?:inflation|cpi|ppi)", "bearish"),
        (rf"{_HIGH}(?:\w+ )?highs?\b|\bath\b", "bullish"),
        (rf"{_HIGH}(?:\w+ )?lows?\b", "bearish"),
        (r"\bgolden cross|\bbear trap|\brisk[- ]on\b", "bullish"),
        (r"\bdeath cross|\bbull trap|\brisk[- ]off\b", "bearish"),
        (r"\bsell(?:ing)?[- ](?:off|pressure)s?", "selloff"),
        (r"\b(?:buy|buys|buying|bought) the dip|\bdip[- ]buy\w*", "bullish"),
        (r"\bprofit[- ]taking|\btakes? profits?", "decline"),
        (r"\b(?:pare|trim|erase|wipe|lose|reverse|give|snap|end|surrender)[sd]?(?: (?:up|out|back|off))?(?: \S+){0,3} "
         r"(?:gains?|rally|advance|rebound|winning streak)\b", "bearish"),
        (r"\b(?:pare|trim|erase|recoup|recover|reverse|snap|end|break|shrug)[sd]?(?: off)?(?: \S+){0,3} "
         r"(?:loss(?:es)?|declines?|drop|slide|losing streak|outflows?)\b", "bullish"),
        (r"\b(?:fail|fails|failed|failing|unable|struggles?|struggling) to \w+", "bearish"),
        (r"\b(?:drops?|dropped|dismiss\w*|withdraws?|wins?|settles?|ends?|closes?) "
         r"(?!as |amid |after |on |over )(?:\S+ ){0,4}(?:lawsuit|suit|case|charges|probe|investigation)\b", "bullish"),
        (r"\blifts? (?:\S+ ){0,3}(?:ban|sanctions|restrictions)\b", "bullish"),
        (r"\bexchange (?:outflows?|(?:balances?|reserves?) (?:fall|drop|shrink|slide)\w*)", "bullish"),
        (r"\bexchange inflows?", "bearish"),
        (r"\bfear (?:and|&) greed|\bopen interest|\bsafe[- ]havens?|\bbull and bear|\bbulls and bears", "gauge"),
    )
)  # fmt: skip
