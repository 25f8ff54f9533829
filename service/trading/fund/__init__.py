"""The fund: a virtual 1,000 USD, held in bitcoin or in cash according to the calls of apex."""

from __future__ import annotations

from service.trading.fund.book import TERMS, FundHistory, FundTerms, Rebalancing, run
from service.trading.fund.document import FundDocument, FundTradesDocument, fund_document, fund_table

__all__ = [
    "TERMS",
    "FundDocument",
    "FundHistory",
    "FundTerms",
    "FundTradesDocument",
    "Rebalancing",
    "fund_document",
    "fund_table",
    "run",
]
