"""What traders write in every language: loanwords, tickers of time, zones, arrows and pictures."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "rise": "pump, moon, 🚀, 📈",
    "fall": "dump, crash, 📉",
    "up": "↑, ⬆, ↗, 🟢",
    "down": "↓, ⬇, ↘, 🔴",
    "mood:up": "bullish, 🐂",
    "mood:down": "bearish, 🐻",
    "above": ">, ≥, =>, >=",
    "below": "<, ≤, =<, <=",
    "record": "ath",
    "versus": "vs",
    "times:1000": "k",
    "m": "m",
    "q": "q",
    "times:1000000": "mn",
    "times:1000000000": "bn",
    "percent": "%",
    "money": "$, usd, usdt, us$, usd$",
    "cent": "¢",
    "foreign": """
        €, £, ¥, ₽, ₺, ₹, ₩, ₴, ₫, eur, euro, euros, gbp, jpy, cny, rmb, rub, inr, chf, cad, aud, brl, krw, mxn,
        yen, yuan, rupees, rupee, pounds, pound, sterling, francs, rubles, roubles, lira, liras, pesos, peso, reais,
        dkk, sek, nok, pln, sats, satoshis
    """,
    "eo:day": "eod",
    "eo:week": "eow",
    "eo:month": "eom",
    "eo:year": "eoy",
    "zone:UTC": "utc, gmt, z",
    "zone:America/New_York": "est, edt, et, new york time, eastern time",
    "zone:America/Los_Angeles": "pst, pdt, pt",
    "zone:Europe/Berlin": "cet, cest, mez, mesz",
    "zone:Europe/Moscow": "msk, мск",
    "zone:Asia/Tokyo": "jst",
    "order": "im_start, im_end",
}
