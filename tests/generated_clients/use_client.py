"""Use the client that openapi-python-client wrote: `use_client.py ADDRESS KEY` prints what the test expects."""

import json
import sys

from ninefold_client import AuthenticatedClient
from ninefold_client.api.market import prices_current
from ninefold_client.api.oracle import oracle_ask
from ninefold_client.api.strategies import hospital_triage, leaderboard_ranking, leaderboard_strategy
from ninefold_client.models import QuestionBody

address, key = sys.argv[1:]
with AuthenticatedClient(address, key, prefix="", auth_header_name="X-API-Key") as client:
    prices = prices_current.sync(client=client)
    ranking = leaderboard_ranking.sync(client=client)
    strategy = leaderboard_strategy.sync("macd_slow", client=client)
    hospital = hospital_triage.sync(client=client)
    answer = oracle_ask.sync(client=client, body=QuestionBody(question="Will Bitcoin rise this week?"))
output = {
    "prices": prices.count,
    "year": prices.as_of.year,
    "leader": ranking.entries[0].key,
    "strategy": strategy.standing.key,
    "reviewed": len(hospital.strategies),
    "p_yes": answer.p_yes,
}
print(json.dumps(output))
