"""Headlines in the manner of market pages, invented here and labelled by hand for what they say of prices.

FIRST was at hand while the lexicon was written; SECOND was written after it.
"""

from __future__ import annotations

FIRST: dict[str, str] = {
    "BULLISH": """
        Bitcoin surges past $120,000 as spot ETF inflows accelerate
        Ether rallies 9% in its best session since spring
        Solana jumps to a three-month high on rising network fees
        XRP soars after judge tosses out the remaining claims
        Gold climbs to record high as central banks keep buying
        Silver breakout lifts miners across the board
        Bulls regain control as bitcoin reclaims its 200-day average
        BNB rebounds 6% from last week's trough
        Short squeeze sends bitcoin up $3,000 in an hour
        More than $400 million in shorts liquidated as ether spikes
        Bitcoin prints golden cross for the first time in two years
        Cooler inflation print sends crypto higher
        Fed signals rate cuts before year end, risk assets cheer
        Traders buy the dip as bitcoin bounces off $95,000
        Analyst turns bullish on solana, sees upside to $300
        Exchange balances drop to lowest since 2018 as holders accumulate
        Regulator drops lawsuit against major trading venue
        Bitcoin pares losses into the close
        Ether snaps five-day losing streak
        Pension fund buys $250 million of bitcoin
        Court approves first spot solana fund
        Gold advances for a sixth straight week
        Silver outperforms gold as industrial appetite returns
        Lawmakers lift ban on crypto payments
        Bank upgrades its bitcoin forecast to $180,000
        Miners' revenue hits a milestone after fee spike
    """,
    "BEARISH": """
        Bitcoin plunges below $90,000 in broad selloff
        Ether tumbles 11% as leverage is flushed out
        More than $1 billion in crypto longs liquidated overnight
        Solana slides to its lowest level since January
        XRP sinks after appeal is filed
        Gold slips as the dollar firms
        Silver slumps 5%, erasing a month of gains
        Hackers drain $80 million from cross-chain bridge
        Lender halts withdrawals amid liquidity fears
        Death cross looms for ether
        Exchange sued over unregistered token sales
        Bitcoin fails to hold $100,000 for a third day
        Hot inflation dents hopes for easier money
        Treasury yields jump to a four-month high, gold retreats
        Spot ETF outflows reach $900 million in a week
        Stablecoin depegs after reserves are questioned
        Risk-off mood weighs on crypto
        Analyst turns bearish, warns of a move to $70,000
        BNB drops as regulators open probe
        Profit-taking knocks bitcoin off its peak
        Ether gives up early gains
        Crypto fund collapses owing creditors $2 billion
        Central bank raises interest rates by half a point
        Country moves to ban crypto mining
        Whales dump 20,000 bitcoin on exchanges
        Exploit in lending protocol leaves users short
    """,
    "NEUTRAL": """
        Bitcoin trades flat ahead of jobs report
        Ether little changed on a quiet Sunday
        Fear and greed index stands at 51
        Exchange to list three new tokens next month
        Company shares its quarterly report on Thursday
        Open interest in bitcoin futures at $31 billion
        Treasury secretary to speak on digital assets
        Gold steady near $2,650 an ounce
        Solana developers meet in Lisbon this week
        What to watch in crypto today
        Bitcoin options expiry: what the numbers say
        How staking works, explained
        Security conference opens in Singapore with crypto track
        Silver market: five charts
        Wallet maker adds support for XRP ledger tokens
        Bitcoin like never before: a photo essay
        Bank publishes paper on stable coins
        Ether supply unchanged over the month
        Gross domestic product figures due on Friday
        Committee schedules hearing on market structure
        Bitcoin holds in a narrow range for the fourth day
        Trust files amended paperwork with the commission
    """,
}

SECOND: dict[str, str] = {
    "BULLISH": """
        Bitcoin leaps above $110,000 for the first time this year
        Ether gains as staking deposits grow
        Solana leads majors higher on heavy volume
        XRP extends its winning run to six days
        Gold hits fresh all-time high on haven buying
        Silver advances past $40
        BNB clears resistance and eyes $900
        Crypto shrugs off tariff news and grinds higher
        Central bank cuts rates by a quarter point
        Bitcoin funds see largest weekly inflow in months
        Judge dismisses case against token issuer
        Ether exchange reserves fall to a five-year low
        Traders pile into bitcoin calls after strong jobs data
        Bitcoin recovers to $104,000 as dollar weakens
        Retail demand returns to solana
        Sovereign fund adopts bitcoin as a reserve
    """,
    "BEARISH": """
        Bitcoin drops under $85,000, a six-month low
        Ether sheds 7% in an hour
        Solana network suffers fourth outage this year
        XRP trails as money rotates out
        Gold loses its shine as yields climb
        Silver gives back all of this week's gains
        BNB dives after exchange founder is charged
        Crypto market loses $300 billion in a day
        Fed holds rates and hints at more hikes
        Bitcoin miners forced to sell as margins shrink
        Exchange freezes withdrawals after breach
        Ether bears eye $2,000
        Long positions wiped out as bitcoin slides
        Regulator rejects staking proposal
        Fraud charges filed against fund manager
        Bitcoin under pressure ahead of token unlock
    """,
    "NEUTRAL": """
        Bitcoin hovers around $98,000 on Monday
        Ether developers set a date for the next upgrade
        Solana conference draws ten thousand visitors
        XRP ledger version 3 released
        Gold: week ahead
        Silver and gold ratio at 84
        A beginner's guide to hardware wallets
        Exchange names new finance chief
        Minutes of central bank meeting due at 14:00
        Bitcoin unchanged after a choppy session
        Five things to know about perpetual futures
        Crypto markets mixed as traders wait
        Interest in tokenised bonds: a survey
    """,
}
