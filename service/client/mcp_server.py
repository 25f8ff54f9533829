"""The service as tools of the Model Context Protocol, for agents: `python -m service.client.mcp_server`.

ORACLE_URL is the address of the service, ORACLE_KEY an API key. The server talks over standard input and output, as
desktop programs start it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from service.client.client import AsyncClient
from service.client.errors import ClientError

ADDRESS = "http://127.0.0.1:8000"
INSTRUCTIONS = (
    "Probabilities about bitcoin (btc), ether (eth), solana (sol), bnb, xrp, gold and silver by nine voters. `ask` and "
    "`leaderboard` use one of ten calls a day each, the others are free. Say whether prices are live or simulated "
    "(`world`). This is no investment advice."
)

Document = dict[str, Any]


def build(client: AsyncClient) -> MCPServer:
    """The server, whose tools send requests by `client`."""
    server = MCPServer("ninefold", instructions=INSTRUCTIONS)

    def tool(function: Callable[..., Awaitable[Document]]) -> None:
        @wraps(function)
        async def call(*values: Any, **arguments: Any) -> Document:
            try:
                return await function(*values, **arguments)
            except ClientError as error:
                raise ToolError(str(error)) from None

        server.tool(structured_output=True)(call)

    @tool
    async def ask(question: str, context: str | None = None) -> Document:
        """Ask nine voters one question, such as "Will Bitcoin rise more than 5% this month?".

        `p_yes` is the probability of yes, `votes` has each reason, `understood` says how the question was read.
        `context` is the `id` of an earlier answer: then "and eth?" is understood. One call.
        """
        return await client.ask(question, context=context)

    @tool
    async def understand(question: str, context: str | None = None) -> Document:
        """How a question would be read, and what the text wants (`intent`), without asking it. Free."""
        return await client.understand(question, context=context)

    @tool
    async def prices() -> Document:
        """The price of each asset in USD and its change over 24 hours."""
        return await client.prices()

    @tool
    async def price_forecast(asset: str) -> Document:
        """Where the price of an asset will be after 1 hour to 30 days, as quantiles in USD."""
        return await client.forecast(asset)

    @tool
    async def open_markets() -> Document:
        """Open prediction markets with the probability of YES by the nine voters and by an outside market."""
        return await client.markets()

    @tool
    async def market(market_id: str) -> Document:
        """One market with each vote and its reason, the odds, the rule of its settlement, and the outcome."""
        return await client.prediction(market_id)

    @tool
    async def forecast_market(market_id: str, p_yes: float) -> Document:
        """Give your own probability of YES, from 0.001 to 0.999, for an open market; it is scored beside the voters."""
        return await client.forecast_market(market_id, p_yes)

    @tool
    async def forecasters() -> Document:
        """The tournament: how good voters, their pool, the outside market and named callers were, with intervals."""
        return await client.forecasters()

    @tool
    async def leaderboard(asset: str | None = None) -> Document:
        """The paper-trading strategies by their result beside buying and holding, in all assets or one. One call."""
        return await client.leaderboard(asset)

    @tool
    async def create_challenge(question: str, deadline: str) -> Document:
        """Put a question with a date (YYYY-MM-DD) to the voters in public."""
        return await client.create_challenge(question, deadline)

    return server


def main() -> None:
    build(AsyncClient(os.environ.get("ORACLE_URL") or ADDRESS, os.environ.get("ORACLE_KEY") or None)).run()


if __name__ == "__main__":
    main()
