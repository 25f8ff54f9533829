"""The sentences of the simulated desk: by what happened, each with nothing in it but what bars can show.

Every sentence holds a price or a percentage, so that two days seldom read alike.
"""

from __future__ import annotations

TEMPLATES: dict[str, tuple[str, ...]] = {
    "day_up": (
        "{name} surges {pct} in 24 hours to {price}",
        "{name} rallies {pct} in a day, a move of {sigmas} sigmas",
        "{name} jumps {pct} over 24 hours, well beyond its usual day",
        "{name} climbs {pct} since this hour yesterday and trades at {price}",
        "Up {pct} in 24 hours: {name} gains more than on most days",
    ),
    "day_down": (
        "{name} slides {pct} in 24 hours to {price}",
        "{name} tumbles {pct} in a day, a move of {sigmas} sigmas",
        "{name} drops {pct} over 24 hours, well beyond its usual day",
        "{name} sinks {pct} since this hour yesterday and trades at {price}",
        "Down {pct} in 24 hours: {name} falls more than on most days",
    ),
    "burst_up": (
        "{name} spikes {pct} in four hours to {price}",
        "Sudden jump: {name} adds {pct} in four hours",
        "{name} leaps {pct} within four hours, {sigmas} times its usual swing",
    ),
    "burst_down": (
        "{name} plunges {pct} in four hours to {price}",
        "Sudden drop: {name} sheds {pct} in four hours",
        "{name} falls {pct} within four hours, {sigmas} times its usual swing",
    ),
    "high": (
        "{name} climbs to a 30-day high at {price}",
        "{name} trades at {price}, its highest in 30 days",
        "New 30-day high for {name}: {price}",
        "{name} breakout: {price} tops every price of the past 30 days",
    ),
    "low": (
        "{name} falls to a 30-day low at {price}",
        "{name} trades at {price}, its lowest in 30 days",
        "New 30-day low for {name}: {price}",
        "{name} breakdown: {price} is lower than every price of the past 30 days",
    ),
    "above": (
        "{name} climbs above ${level}, last at {price}",
        "{name} tops ${level} and trades at {price}",
        "{name} rises through ${level} to {price}",
    ),
    "below": (
        "{name} drops below ${level}, last at {price}",
        "{name} slips under ${level} and trades at {price}",
        "{name} falls through ${level} to {price}",
    ),
    "wild": (
        "{name} swings widen to {ratio} times their 30-day norm with the price at {price}",
        "Volatility in {name} runs at {ratio} times its 30-day average near {price}",
        "{name} moves more than it did at {price}: hourly swings {ratio} times the usual",
    ),
    "calm": (
        "{name} drifts near {price}, hourly swings {ratio} times the usual",
        "{name} in a tight range around {price}, volatility {ratio} times its 30-day average",
        "Little movement in {name}: swings {ratio} times their 30-day norm at {price}",
        "{name} sits at {price} on a slow day, swings {ratio} times the usual",
    ),
    "leader_up": (
        "{name} leads {count} coins with a gain of {pct} in 24 hours, now {price}",
        "{name} outperforms: up {pct} on the day at {price}, ahead of {others} other coins",
        "Of {count} coins {name} gains most, {pct} in 24 hours to {price}",
    ),
    "leader_down": (
        "All {count} coins trade lower, {name} the least with {pct} off at {price}",
        "No coin of {count} is higher on the day; {name} sheds only {pct} and trades at {price}",
    ),
    "laggard_down": (
        "{name} trails {others} other coins, down {pct} in 24 hours at {price}",
        "{name} underperforms with a drop of {pct} on the day, now {price}",
        "Of {count} coins {name} loses most, {pct} in 24 hours to {price}",
    ),
    "laggard_up": (
        "All {count} coins trade higher, {name} the least with {pct} up at {price}",
        "Every coin of {count} gains on the day; even {name} rises {pct} to {price}",
    ),
    "breadth_up": (
        "{up} of {count} coins rise over 24 hours, the average gain {pct}",
        "Coins climb together: {up} of {count} higher on the day, {pct} on average",
    ),
    "breadth_down": (
        "{down} of {count} coins fall over 24 hours, the average drop {pct}",
        "Coins slide together: {down} of {count} lower on the day, {pct} on average",
    ),
    "breadth_mixed": (
        "Coins mixed over 24 hours: {up} up, {down} down, average move {pct}",
        "Coins part ways: {up} up and {down} down on the day, average move {pct}",
    ),
    "week_up": (
        "{name} opens the week higher at {price}, {pct} over its last close",
        "{name} gains {pct} as the trading week begins, at {price}",
    ),
    "week_down": (
        "{name} opens the week lower at {price}, {pct} under its last close",
        "{name} slips {pct} as the trading week begins, at {price}",
    ),
    "week_flat": (
        "{name} begins the trading week near its last close at {price}",
        "{name} opens the week little changed at {price}",
    ),
    "streak_up": (
        "{name} rises for a {nth} straight day, to {price}",
        "{nth} day of gains in a row for {name}, now {price}",
    ),
    "streak_down": (
        "{name} falls for a {nth} straight day, to {price}",
        "{nth} day of decline in a row for {name}, now {price}",
    ),
}
