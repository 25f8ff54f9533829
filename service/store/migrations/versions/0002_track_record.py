"""Markets, challenges and their votes; calls of apex; headlines; a ledger that triggers keep append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.store.ledger import GUARDS

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('apex_call',
    sa.Column('at', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('p_up', sa.Float(precision=53), nullable=False),
    sa.Column('backfilled', sa.Boolean(), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('at', name=op.f('pk_apex_call'))
    )
    op.create_table('headline',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('published_at', sa.BigInteger(), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_headline'))
    )
    with op.batch_alter_table('headline', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_headline_published_at'), ['published_at'], unique=False)

    op.create_table('ledger',
    sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('recorded_at', sa.BigInteger(), nullable=False),
    sa.Column('kind', sa.String(length=16), nullable=False),
    sa.Column('subject', sa.String(length=96), nullable=False),
    sa.Column('backfilled', sa.Boolean(), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.Column('previous', sa.String(length=64), nullable=False),
    sa.Column('hash', sa.String(length=64), nullable=False),
    sa.PrimaryKeyConstraint('seq', name=op.f('pk_ledger'))
    )
    with op.batch_alter_table('ledger', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_ledger_kind_seq'), ['kind', 'seq'], unique=False)
        batch_op.create_index(batch_op.f('ix_ledger_subject_seq'), ['subject', 'seq'], unique=False)

    op.create_table('ledger_root',
    sa.Column('day', sa.String(length=10), nullable=False),
    sa.Column('first_seq', sa.BigInteger(), nullable=False),
    sa.Column('last_seq', sa.BigInteger(), nullable=False),
    sa.Column('root', sa.String(length=64), nullable=False),
    sa.Column('head', sa.String(length=64), nullable=False),
    sa.Column('previous', sa.String(length=64), nullable=False),
    sa.Column('signed_at', sa.BigInteger(), nullable=False),
    sa.Column('key', sa.String(length=64), nullable=False),
    sa.Column('signature', sa.String(length=128), nullable=False),
    sa.PrimaryKeyConstraint('day', name=op.f('pk_ledger_root'))
    )
    with op.batch_alter_table('ledger_root', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_ledger_root_last_seq'), ['last_seq'], unique=False)

    op.create_table('news_feed',
    sa.Column('url', sa.String(length=512), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('url', name=op.f('pk_news_feed'))
    )
    op.create_table('prediction',
    sa.Column('id', sa.String(length=96), nullable=False),
    sa.Column('category', sa.String(length=16), nullable=False),
    sa.Column('number', sa.Integer(), nullable=True),
    sa.Column('question', sa.Text(), nullable=False),
    sa.Column('rule', sa.Text(), nullable=False),
    sa.Column('resolver', sa.String(length=16), nullable=False),
    sa.Column('created_at', sa.BigInteger(), nullable=False),
    sa.Column('closes_at', sa.BigInteger(), nullable=False),
    sa.Column('deadline', sa.BigInteger(), nullable=False),
    sa.Column('backfilled', sa.Boolean(), nullable=False),
    sa.Column('author', sa.String(length=128), nullable=True),
    sa.Column('voted_at', sa.BigInteger(), nullable=True),
    sa.Column('commitment', sa.Text(), nullable=True),
    sa.Column('seq', sa.BigInteger(), nullable=True),
    sa.Column('hash', sa.String(length=64), nullable=True),
    sa.Column('outcome', sa.String(length=8), nullable=True),
    sa.Column('resolved_at', sa.BigInteger(), nullable=True),
    sa.Column('evidence', sa.Text(), nullable=True),
    sa.Column('resolved_by', sa.String(length=80), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_prediction')),
    sa.UniqueConstraint('number')
    )
    with op.batch_alter_table('prediction', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_prediction_outcome_deadline'), ['outcome', 'deadline'], unique=False)

    op.create_table('odds',
    sa.Column('prediction', sa.String(length=96), nullable=False),
    sa.Column('source', sa.String(length=16), nullable=False),
    sa.Column('market_id', sa.String(length=128), nullable=False),
    sa.Column('url', sa.Text(), nullable=True),
    sa.Column('p_yes', sa.Float(precision=53), nullable=False),
    sa.Column('bid', sa.Float(precision=53), nullable=True),
    sa.Column('ask', sa.Float(precision=53), nullable=True),
    sa.Column('volume_usd', sa.Float(precision=53), nullable=True),
    sa.Column('fetched_at', sa.BigInteger(), nullable=False),
    sa.ForeignKeyConstraint(['prediction'], ['prediction.id'], name=op.f('fk_odds_prediction')),
    sa.PrimaryKeyConstraint('prediction', name=op.f('pk_odds'))
    )
    op.create_table('prediction_vote',
    sa.Column('prediction', sa.String(length=96), nullable=False),
    sa.Column('place', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('voter', sa.String(length=32), nullable=False),
    sa.Column('engine', sa.String(length=128), nullable=False),
    sa.Column('p', sa.Float(precision=53), nullable=False),
    sa.Column('weight', sa.Float(precision=53), nullable=False),
    sa.Column('reasoning', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['prediction'], ['prediction.id'], name=op.f('fk_prediction_vote_prediction')),
    sa.PrimaryKeyConstraint('prediction', 'place', name=op.f('pk_prediction_vote'))
    )
    op.create_table('user_vote',
    sa.Column('prediction', sa.String(length=96), nullable=False),
    sa.Column('caller', sa.String(length=128), nullable=False),
    sa.Column('is_yes', sa.Boolean(), nullable=False),
    sa.Column('voted_at', sa.BigInteger(), nullable=False),
    sa.ForeignKeyConstraint(['prediction'], ['prediction.id'], name=op.f('fk_user_vote_prediction')),
    sa.PrimaryKeyConstraint('prediction', 'caller', name=op.f('pk_user_vote'))
    )
    with op.batch_alter_table('user_vote', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_user_vote_caller'), ['caller'], unique=False)

    for statement in GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)


def downgrade() -> None:
    for table in ("user_vote", "prediction_vote", "odds", "prediction", "news_feed", "headline", "apex_call"):
        op.drop_table(table)
    for table in ("ledger_root", "ledger"):
        op.drop_table(table)
