"""The prices document as a FastAPI user would write it: a `def` route with a response model."""

from __future__ import annotations

import os
from pathlib import Path

from fastapi import FastAPI
from pydantic import BaseModel, TypeAdapter


class Price(BaseModel):
    asset: str
    name: str
    price: float
    change_24h_pct: float | None
    high_24h: float
    low_24h: float
    market_open: bool
    as_of: str
    source: str


class Prices(BaseModel):
    schema_: str
    timestamp: str
    as_of: str
    stale_after: str
    world: str
    ended: bool
    sources: dict[str, str]
    count: int
    prices: list[Price]


app = FastAPI()
text = Path(os.environ["DOCUMENT"]).read_text().replace('"schema":', '"schema_":', 1)
fields = TypeAdapter(dict).validate_json(text)


@app.get("/document")
def document() -> Prices:
    return Prices.model_validate(fields)
