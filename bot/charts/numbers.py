"""Numbers as charts write them: in English, as all words of a chart are."""

from __future__ import annotations


def signed_percent(value: float) -> str:
    """A change in percent, such as "+2.1%"; a value that rounds to zero has no sign."""
    text = f"{value:+,.1f}%" if abs(value) < 99.95 else f"{value:+,.0f}%"
    return "0.0%" if text in ("+0.0%", "-0.0%") else text


def signed_usd(value: float) -> str:
    """A gain or loss, such as "+1,887 USD"."""
    return f"{value:+,.0f} USD" if round(value) else "0 USD"


def price_text(value: float) -> str:
    """A price in USD without its unit, with as many digits as matter at its size."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"
