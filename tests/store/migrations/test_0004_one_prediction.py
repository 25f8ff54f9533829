"""A database of revision 0003 keeps its answers, its job slots and its ledger."""

from __future__ import annotations

import pytest
from alembic import command
from alembic.util import CommandError
from sqlalchemy import text

from service import canonical
from service.forecasting.predictions import LedgerPosition, Settlement
from service.forecasting.predictions.ledger_rows import votes_row
from service.forecasting.predictions.settling import resolved
from service.forecasting.voters.context import Context
from service.forecasting.voters.fits import VERSION, Fits
from service.forecasting.voters.linear import LinearFit
from service.ledger.verifier import verify
from service.market.instants import utc
from service.questions import Circumstances, understand
from service.store import knowledge, ledger, migrations, predictions, runs
from service.store.database import Database
from service.store.plain import contexts
from tests.forecasting.markets import MONDAY, waiting
from tests.store.migrations.revisions import run

pytestmark = pytest.mark.slow

ASKED_AT = 1_795_319_953  # 2026-11-22T03:59:13Z
DEADLINE = 1_795_391_999
UNDERSTOOD = {
    "asset": "eth",
    "canonical": "Will Ethereum (eth) return more than Solana (sol) until 2026-11-22 23:59 UTC?",
    "comparator": "relative",
    "deadline": "2026-11-22T23:59:59Z",
    "horizon_hours": 20.012777777777778,
    "level": None,
    "level_pct": None,
    "negated": False,
    "notes": ["No deadline was named: the end of the week."],
    "other_asset": "sol",
    "polarity": "bull",
    "spot": 2222.03,
    "upper_level": None,
}
PUBLISHED = {
    "abstained": {"news": "no headlines"},
    "as_of": "2026-11-22T03:55:00Z",
    "p_yes": 0.497,
    "understood": UNDERSTOOD,
}
ANSWER = {
    "id": "fc30374bbc7946a3",
    "asked_at": ASKED_AT,
    "caller": "key:7cf6e7f2",
    "asset": "eth",
    "question": "Will ETH outperform SOL this week?",
    "kind": "relative",
    "deadline": DEADLINE,
    "p_yes": 0.4965026523377932,
    "body": canonical.write(PUBLISHED),
    "outcome": None,
    "resolved_at": None,
    "evidence": None,
}
SETTLED = {"outcome": "yes", "resolved_at": DEADLINE + 1, "evidence": '{"bars":"eth close 2,300"}'}
VOTE = {"engine": "embedded", "weight": 1.25, "reasoning": "volatility", "fallback": False}
MODEL = {"engine": "openai:a-model", "prompt": "trend/3", "tokens": 1234, "usd": 0.0123, "fallback": True}


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request, tmp_path) -> Database:
    """A database of revision 0003 without rows."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path}/old.sqlite")
    else:
        database = Database(request.getfixturevalue("empty_postgresql"))
    run(database, command.upgrade, "0003")
    yield database
    database.close()


def insert(database: Database, table: str, **row: object) -> None:
    names = ", ".join(row)
    values = ", ".join(f":{name}" for name in row)
    with database.writing() as db:
        db.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)


def insert_answer(database: Database, **changes: object) -> None:
    """An answer with the votes of two voters."""
    row = ANSWER | changes
    insert(database, "answer", **row)
    insert(database, "vote", answer=row["id"], voter="vol", p_yes=0.35, **VOTE)
    insert(database, "vote", answer=row["id"], voter="trend", p_yes=0.1 + 0.2, **VOTE | MODEL)


def test_an_open_answer_becomes_a_prediction(old):
    insert_answer(old)
    old.migrate()
    with old.reading() as db:
        answer = predictions.find(db, ANSWER["id"])
        assert predictions.due(db, DEADLINE) == [answer]
        assert db.scalar(text("SELECT body FROM prediction")) == ANSWER["body"]
    assert (answer.category, answer.resolver, answer.author, answer.backfilled) == (
        "answer",
        "bars",
        "key:7cf6e7f2",
        False,
    )
    assert (answer.created_at, answer.closes_at, answer.deadline) == (ASKED_AT, ASKED_AT, DEADLINE)
    assert (answer.number, answer.odds, answer.settlement, answer.ledger_position) == (None, None, None, None)
    assert answer.rule == UNDERSTOOD["canonical"]


def test_its_question_is_the_one_that_was_asked(old):
    """The same one that the published fields were read from."""
    spots = {"eth": 2222.03, "sol": 130.0}
    question = understand(ANSWER["question"], Circumstances(utc(ASKED_AT), spots))
    fields = {name: getattr(question, name) for name in UNDERSTOOD} | {"deadline": "2026-11-22T23:59:59Z"}
    insert_answer(old, body=canonical.write(PUBLISHED | {"understood": fields}))
    old.migrate()
    with old.reading() as db:
        assert predictions.find(db, ANSWER["id"]).question == question


def test_its_votes_keep_every_number(old):
    insert_answer(old)
    old.migrate()
    with old.reading() as db:
        commitment = predictions.find(db, ANSWER["id"]).commitment
    assert (commitment.voted_at, commitment.as_of, commitment.p) == (ASKED_AT, ASKED_AT - 253, ANSWER["p_yes"])
    assert (commitment.abstained, commitment.features, commitment.fitted_at) == ({"news": "no headlines"}, None, None)
    assert [vote.to_plain() for vote in commitment.votes] == [
        {"voter": "trend", "p": 0.1 + 0.2, **VOTE | MODEL},
        {"voter": "vol", "p": 0.35, **VOTE, "prompt": None, "tokens": None, "usd": None},
    ]


def test_a_settled_answer_still_counts_in_the_track_record(old):
    insert_answer(old, **SETTLED)
    old.migrate()
    with old.reading() as db:
        (answer,) = [settled for settled in predictions.settled(db) if settled.category == "answer"]
    assert answer.settlement == Settlement("yes", DEADLINE + 1, "eth close 2,300", "bars")
    (question,) = resolved([answer])
    assert (question.comparator, question.happened, question.asked_at) == ("relative", True, ASKED_AT)
    assert {(vote.voter, vote.engine, vote.p) for vote in question.votes} == {
        ("vol", "embedded", 0.35),
        ("trend", "openai:a-model", 0.1 + 0.2),
    }


def test_more_answers_than_one_query_takes_are_carried_over(old):
    for place in range(401):
        insert(old, "answer", **ANSWER | {"id": f"{place:016x}"})
    old.migrate()
    with old.reading() as db:
        assert len(predictions.due(db, DEADLINE)) == 401


def test_jobs_go_on_under_their_new_names(old):
    for job in ("relive", "portray", "take_over", "settle_taken", "resolve", "settle"):
        insert(old, "job_run", job=job, slot=7200, state="done", attempt=1, next_at=1.0)
    old.migrate()
    with old.reading() as db:
        jobs = set(db.scalars(text("SELECT job FROM job_run")))
        assert runs.done_up_to(db, "backfill") == 7200
    assert jobs == {"backfill", "publish_strategy_pages", "import_markets", "settle_imported", "settle"}


def test_markets_and_the_ledger_stay_as_they_were(old):
    """The row of the ledger that a market names is still there, and the chain still verifies."""
    market = waiting("daily", votes={"vol": 0.6})
    with old.writing() as db:
        (entry,) = ledger.append(db, [votes_row(market, market.commitment)], MONDAY)
    commitment = {name: value for name, value in vars(market.commitment).items() if name != "votes"}
    insert(
        old,
        "prediction",
        **{name: getattr(market, name) for name in ("id", "category", "rule", "resolver", "created_at", "closes_at")},
        deadline=market.deadline,
        backfilled=False,
        question=canonical.write(market.question.to_plain()),
        voted_at=MONDAY,
        commitment=canonical.write(commitment),
        seq=entry.seq,
        hash=entry.hash,
    )
    insert(
        old,
        "prediction_vote",
        prediction="daily",
        place=0,
        voter="vol",
        p=0.6,
        **VOTE | {"weight": 1.0, "reasoning": ""},
    )
    old.migrate()
    with old.reading() as db:
        kept = predictions.find(db, "daily")
        assert verify(ledger.export(db)).fault is None
    assert (kept.commitment, kept.ledger_position) == (market.commitment, LedgerPosition(entry.seq, entry.hash))


def test_fits_and_contexts_serve_under_the_new_input_names(old):
    """Voters fitted by the version before vote at once: no answer waits for the next refit."""
    inputs = {"vol_ratio_180d": 0.1, "vol_ratio_12h": None, "semivariance_skew_7d": 0.3, "range_position_50d": 0.4}
    context = Context("btc", MONDAY, 100.0, 200.0, 1e-5, 2e-5, inputs, {"eth": 0.8})
    learnt = LinearFit(
        ("mean_distance_48h", "move_4h"), (0.0, 0.1), (1.5, 1.0), (0.01, 0.2), 0.1, 0.2, -0.01, 500, 40.0
    )
    fits = Fits(VERSION, MONDAY, MONDAY, {"reversion": learnt}, None, {"forest": "needs 90 days"})
    old_names = {
        "vol_ratio_180d": "heat",
        "vol_ratio_12h": "spark",
        "semivariance_skew_7d": "tilt_168h",
        "range_position_50d": "place_50d",
        "mean_distance_48h": "stretch_48h",
    }

    def written(plain: dict) -> str:
        text = canonical.write(plain)
        for new, name in old_names.items():
            text = text.replace(f'"{new}"', f'"{name}"')
        return text

    insert(old, "context", asset="btc", as_of=MONDAY, body=written(context.to_plain()))
    insert(old, "fit", slot=MONDAY, body=written(fits.to_plain()))
    old.migrate()
    with old.reading() as db:
        assert Context.from_plain(contexts.every(db)["btc"]) == context
        assert knowledge.newest_fits(old, db) == fits


def test_a_downgrade_is_refused(old):
    old.migrate()
    with pytest.raises(CommandError, match="restore the backup"):
        run(old, command.downgrade, "0003")
    with old.reading() as db:
        assert migrations.current(db) == migrations.head()
