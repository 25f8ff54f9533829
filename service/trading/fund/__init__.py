"""The fund: a virtual 1,000 USD, in bitcoin or in cash, as the calls of apex say."""

from __future__ import annotations

from service.trading.fund.book import TERMS, Fund, Terms, Trade, run
from service.trading.fund.document import FundDocument, fund_document

__all__ = ["TERMS", "Fund", "FundDocument", "Terms", "Trade", "fund_document", "run"]
