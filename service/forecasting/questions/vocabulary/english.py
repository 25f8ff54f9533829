"""English, with the slang of trading chats."""

from __future__ import annotations

WORDS: dict[str, str] = {
    # what the price does
    "reach": """
        get there, gets there, go there, make it there, reach that, hit that, reach+, hit, hits, hitting, touch+,
        get to, gets to, getting to, make it to, attain+, arrive at, make it past, reech, reache, go to, goes to
    """,
    "meet": """
        see, sees, test, tests, retest, retests, tag, tags, print, prints, tap, taps, pass, passes, do, does, clear,
        clears, clearing, make, makes, notch, notches
    """,
    "break": """
        crack+, break, breaks, breaking, brake, cross+, breach+, smash+, pierce+, flip, flips, flipping, take out,
        reclaim+, retake, retakes, regain, regains, break through, breaks through, blow past, blow through
    """,
    "break:past": "broke, broken",
    "exceed": """
        exceed+, surpass+, top, tops, topping, eclipse+, exeed, excede, get past, gets past, go past, go beyond,
        overshoot+
    """,
    "rise": """
        rise, rises, rising, climb+, increase+, gain+, grow, grows, growing, pump+, rally, rallies, rallying,
        surge+, soar+, jump+, spike+, moon+, skyrocket+, rocket+, recover+, rebound+, bounce+, bounce back,
        appreciate+, advance+, explode+, strengthen+, ascend+, go up, goes up, going up, gone up, move up, moves up,
        moving up, head up, heading up, shoot up, go higher, goes higher, going higher, head higher, heading higher,
        move higher, moves higher, push higher, to the moon, the moon, take off, takes off, break out, breaks out,
        breaking out, breakout, melt up, rip, rips, pop, pops, lift off, go parabolic, parabolic, uptick, fly,
        flies, add, adds, return to growth, go green, turn green, go bullish, turn bullish, send it, sending, gain
        value, do well
    """,
    "widely + rise": "bull market, a bull market, bear market over, bear market end, bear market ending",
    "widely + fall": """
        bear market, a bear market, bull run over, bull market over, bull run end, bull market end, bull run ending
    """,
    "rise:past": "rose, risen, grew, grown, rallied, went up, bounced back, added, shot up",
    "fall": """
        fall, falls, falling, drop+, dip+, decline+, decrease+, crash+, plunge+, tank+, dump+, sink, sinks, sinking,
        slide, slides, sliding, slip+, tumble+, plummet+, collapse+, correct, corrects, correction, retrace+,
        retracement, pull back, pullback, go down, goes down, going down, gone down, move down, moves down, come
        down, coming down, head down, heading down, lose, loses, losing, shed, sheds, slump+, nosedive+,
        depreciate+, weaken+, bleed, bleeds, bleeding, sell off, selloff, go lower, goes lower, going lower, head
        lower, heading lower, move lower, nuke+, retreat+, dive, dives, diving, break down, breaks down, breakdown,
        give back, cool off, is the top in, go red, turn red, go bearish, turn bearish, crater+, get rekt, drawdown,
        draw down, backslide, lose value, go back down, freefall, capitulate+, downturn, blow up, die, dies, dying
    """,
    "fall:past": "fell, fallen, sank, sunk, slid, lost, bled, sold off, went down, dove, came down",
    "up": """
        up, worth more, pricier, more expensive, higher, upward, upwards, upside, uptrend, green, positive, bull,
        bulls, in the green, in profit, higher than today, higher than now, higher than it is now, higher than it is
        today, more than today, more than now, good day, good week, good month, good year, great day, great week,
        great month, great year
    """,
    "down": """
        down, lower, downward, downwards, worth less, cheaper, downside, downtrend, red, negative, bear, bears, in
        the red, lower than today, lower than now, lower than it is now, lower than it is today, less than today,
        less than now, bad day, bad week, bad month, bad year
    """,
    "mood:up": "bullish, go long, long or short",
    "mood:down": "bearish, go short",
    "above": """
        above, over, more than, higher than, greater than, north of, at least, upwards of, in excess of, beyond,
        bigger than, larger than, abov, abve, minimum, on top of, past, worth more than
    """,
    "below": """
        sub, below, under, beneath, less than, lower than, worth less than, smaller than, south of, at most,
        maximum, belwo, beleow, underneath, bellow, cheaper than, fewer than
    """,
    "ormore": """
        or above, or more, or higher, or over, or greater, and above, and up, and higher, and over, and more, plus,
        or better
    """,
    "orless": "or below, or less, or lower, or under, and below, and lower, and under, and less",
    "between": "between, inside, in the range, in a range, price range, range, ranges, bracket, betwen, beetween",
    "not + between": "outside, outside of, out of the range, outside the range",
    "to": "to, towards, toward, as high as, as low as, up to, down to, back to, near, around",
    "target": "target, pt",
    "go": """
        go, goes, get, gets, getting, move, moves, moving, push, pushes, head, heads, return, returns, come, comes,
        run, runs, travel
    """,
    "go + above": "going above, going over, going past, going beyond, gets over, heading above",
    "go + below": "going below, going under, heading below",
    "stay": """
        always, exclusively, consistently, continuously, permanently, stay+, remain+, hold, holds, holding, keep,
        keeps, keeping, maintain+, defend+, sustain+, hold onto, hold on to, hang on to, linger, continue to trade,
        continue trading, survive+
    """,
    "stay:past": "held, kept",
    "flat": """
        flat, sideways, stable, unchanged, consolidate, consolidates, consolidating, crab, crabbing, range bound,
        rangebound, chop, stagnate, stagnates
    """,
    "close": "close, closes, closing, finish+, settle+, ending, end up, ends up, wind up, conclude+",
    "be": """
        be, is, are, being, been, trade, trades, trading, worth, cost, costs, stand, stands, standing, sit, sits,
        sitting, priced at, valued at, value, priced, valued, equal, equals, hover+
    """,
    "ever": """
        ever, at any time, at any point, at some point, at some time, any time, anytime, any moment, at least once,
        even once, once, just once, possible, realistic, realistically, feasible, achievable, plausible, intraday,
        at one point, briefly, wick, wicks, even briefly, at all, along the way
    """,
    "record": """
        record, fresh record, ath, aths, all time high, all time highs, alltime high, record high, record highs, new
        high, new highs, yearly high, previous high, old high, last high, atl, all time low, all time lows, record
        low, record lows, new low, new lows, yearly low, previous low, old low, new record, new records, a record,
        record price, highs, lows, price discovery, local top, local bottom, local low, local high, peak price,
        cycle top, cycle bottom, cycle high, cycle low, day moving average, day ma, day sma, day ema, week moving
        average, week ma, moving average, sma, ema, day high, day low, week high, week low, month high, month low,
        hour high, hour low, weekly high, weekly low, monthly high, monthly low, year high, year low
    """,
    "multiple:2": "double, doubles, doubling",
    "multiple:3": "triple, triples, tripling, treble",
    "multiple:4": "quadruple, quadruples, quadrupling",
    "multiple:5": "quintuple",
    "multiple:0.6666666667": "lose a third, loses a third, lose one third, losing a third",
    "multiple:0.75": "lose a quarter, loses a quarter, lose one quarter, losing a quarter",
    "multiple:0.5": "losing half, halve, halves, lose half, loses half, cut in half, cut in two, half its value",
    # one asset against another
    "outperform": """
        outperform+, do better than, does better than, doing better than, perform better than, performs better than,
        performing better than, outpace+, outrun, outruns, outshine+, better than, be stronger than, stronger than,
        fare better than, beat, beats, beating, rise faster than, gain on, do better, perform better, faster than
    """,
    "outperform:past": "outran",
    "underperform": """
        underperform+, do worse than, does worse than, perform worse than, worse than, lag, lags, lagging, lag
        behind, trail, trails, trailing, weaker than, be weaker than, fare worse than, lose to, loses to, lose
        against, do worse
    """,
    "better": """
        better, best, stronger, strongest, perform, performs, performing, performance, win, wins, winner, biggest
        gain
    """,
    "versus": "vs, versus, against, relative to, compared to, compared with, v",
    "which": "which, which one, which of",
    "overtake": "flippening, overtake+, overtook, dethrone+",
    # saying no
    "not": """
        not, won't, wont, isn't, isnt, doesn't, doesnt, don't, dont, can't, cant, cannot, wouldn't, wouldnt,
        couldn't, shouldn't, aren't, ain't, aint, without, unlikely, impossible, no way, no chance, no longer,
        neither, nor, no, improbable, doubt, doubtful, anything but, will not, hasn't, haven't, not going to
    """,
    "not:ever": "never, at no time, at no point, never again, never ever",
    "fail": """
        stop, stops, stopped, stop the, fail, fails, failing, failed, failure, avoid, avoids, avoiding, miss,
        misses, missing, refuse to, refuses to, unable, struggle to, short of, escape, escapes, stop short of, fall
        short of, falls short of, shy of, dodge
    """,
    "noise": """
        tell me if, tell me whether, know if, see if, say if, wonder if, wondering if, ask if, predict if, guess if,
        or not, whether or not, not only, why not, not sure, not financial advice, nfa, don't know, dont know, do
        not know, no idea, i don't know, yes or no, if not, is it not, not to mention, don't you think, dont you
        think, do you not think, don't you believe, drop table, buy the dip, buying the dip, buy this dip, dip
        buying, what's up, whats up, give up, catch up, speed up, wake up, is up with, no doubt, no problem, right,
        going on, once again, over time, in no time, no matter, to know, to do, to say, to think, to tell me, want
        to, you see, do you see, see you, make sure, make money, break even, make sense, makes sense, not long, in
        the end, up to you, will not only, no brainer, is it over for, over for, all over, game over, over it, to
        be, used to, have to, has to, do i, do you, do we, does it, does he, does this, does that, in the past, do
        the, does the, down the road, down the line, up in the air, up to date, coming up, sign up, set up, follow
        up, hurry up, sum up, for the first time
    """,
    # numbers
    "numword:0": "zero",
    "numword:1": "one",
    "numword:2": "two, couple, a couple, a couple of, couple of",
    "numword:3": "three, a few, few",
    "numword:4": "four",
    "numword:5": "five",
    "numword:6": "six",
    "numword:7": "seven",
    "numword:8": "eight",
    "numword:9": "nine",
    "numword:10": "ten",
    "numword:11": "eleven",
    "numword:12": "twelve, dozen, a dozen",
    "numword:13": "thirteen",
    "numword:14": "fourteen",
    "numword:15": "fifteen",
    "numword:16": "sixteen",
    "numword:17": "seventeen",
    "numword:18": "eighteen",
    "numword:19": "nineteen",
    "numword:20": "twenty",
    "numword:30": "thirty",
    "numword:40": "forty, fourty",
    "numword:50": "fifty",
    "numword:60": "sixty",
    "numword:70": "seventy",
    "numword:80": "eighty",
    "numword:90": "ninety",
    "numword:0.5": "half, half a, half an",
    "numword:0.25": "quarter of a, a quarter of a, quarter a",
    "times:100": "hundred, hundreds",
    "times:1000": "k, thousand, thousands, grand, thousand's, thou, ks",
    "times:1000000": "million, millions, mn, mil, mio, mm",
    "times:1000000000": "billion, billions, bn, bln",
    "times:1000000000000": "trillion, trillions, tn",
    "m": "m",
    "letter:b": "b",
    "letter:t": "t",
    "letter:x": "x",
    "figures": "figures, figure, digits, digit",
    "figures:100": "triple digits, triple digit",
    "figures:10": "double digits, double digit",
    "percent": "percent, per cent, pct, percentage points, percentage, pp",
    "money": "dollars, dollar, bucks, buck",
    "cent": "cents, cent, c",
    "weight": "gram, grams, gramme, kilo, kilos, kg, kilogram, tola",
    "chance": """
        chance, chances, probability, odds, likelihood, likely, sure, certain, confident, confidence, probable,
        certainty, conviction, guaranteed, accurate, accuracy, leverage
    """,
    "approx": """
        about, approximately, approx, roughly, nearly, almost, close to, exactly, around the, even, some, another,
        like
    """,
    # dates
    "the": "the, of, da, this very, th",
    "a": "a, an",
    "by": "by, no later than, not later than",
    "before": "by the time, by when, before, prior to, ahead of, b 4",
    "lasting": "until, til, till, up until, up till",
    "until": "through, thru",
    "on": "on, at, as of",
    "in": "in",
    "within": "within, inside of, over the course of, throughout, in under, in less than",
    "during": "during, across, for",
    "from": "from, starting, starting from, beginning with",
    "ago": "ago, earlier",
    "later": "from now, later, hence, from today",
    "this": "rest of the, the rest of the, remainder of the, rest of this, this, the current, the present",
    "next": "next, coming, upcoming, the following",
    "last": "last, previous, past few",
    "last + unit:day": "past day",
    "last + unit:week": "past week",
    "last + unit:month": "past month",
    "last + unit:year": "past year",
    "end": "end, close of, eo, ends",
    "start": "start, beginning, first day, opening",
    "mid": "mid, middle, midway through",
    "early": "early",
    "late": "late",
    "eo:day": "eod, end of day, daily close, close of day, midnight",
    "eo:week": "week is out, week is over, week ends, eow, weekly close, week end close, end of week",
    "eo:month": "month is out, month is over, month ends, eom, monthly close, end of month",
    "eo:quarter": "eoq, quarterly close, end of quarter",
    "eo:year": """
        eoy, yearly close, annual close, year is out, year is over, year ends, year runs out, yearend, year's end,
        years end, end of year
    """,
    "rel:0": "today, tonight, tonite, this evening, this morning, this afternoon, tdy, today's",
    "rel:1": """
        tomorrow, tmrw, tmr, tmw, tomorow, tommorow, tommorrow, tomorrow morning, tomorrow night, tomorrow evening,
        overnight, tomorrow afternoon
    """,
    "rel:2": "day after tomorrow, the day after tomorrow, overmorrow",
    "rel:-1": "yesterday, yday",
    "weekend": "weekend, wknd, week end, the weekend, weekends",
    "unit:minute": "minute, minutes, min, mins",
    "unit:hour": "hour, hours, hr, hrs, h",
    "unit:day": "day, days, d, trading days, business days",
    "unit:week": "week, weeks, wk, wks, w, wek, trading week",
    "unit:month": "month, months, mo, mos, mnth",
    "unit:quarter": "quarter, quarters, qtr",
    "unit:year": "year, years, yr, yrs, y, calendar year",
    "unit:fortnight": "fortnight, fortnights",
    "unit:decade": "decade, decades",
    "halfyear": "half of, half year",
    "ordinal:1": "first",
    "ordinal:2": "second",
    "ordinal:3": "third",
    "ordinal:4": "fourth, final",
    "ordinal:5": "fifth",
    "ordinal:10": "tenth",
    "ordinal:15": "fifteenth",
    "ordinal:20": "twentieth",
    "ordinal:25": "twenty fifth",
    "ordinal:30": "thirtieth",
    "ordinal:31": "thirty first",
    "month:1": "january, jan",
    "month:2": "february, feb, febuary",
    "month:3": "march, mar",
    "month:4": "april, apr",
    "month:5": "may",
    "month:6": "june, jun",
    "month:7": "july, jul",
    "month:8": "august, aug",
    "month:9": "september, sep, sept",
    "month:10": "october, oct",
    "month:11": "november, nov",
    "month:12": "december, dec, decmber, desember",
    "weekday:0": "monday, mon",
    "weekday:1": "tuesday, tue, tues",
    "weekday:2": "wednesday, wed",
    "weekday:3": "thursday, thu, thur, thurs",
    "weekday:4": "friday, fri",
    "weekday:5": "saturday, sat",
    "weekday:6": "sunday, sun",
    "season:spring": "spring, springtime",
    "season:summer": "summer, summertime",
    "season:autumn": "autumn, this fall, the fall, next fall, by fall",
    "season:winter": "winter",
    "holiday:christmas": "christmas, xmas, christmas day",
    "holiday:christmas eve": "christmas eve",
    "holiday:new year": "new year, new years, new year's, the new year, ny",
    "holiday:new year's eve": "new year's eve, new years eve, nye",
    "holiday:new year's day": "new year's day, new years day",
    "holiday:halloween": "halloween",
    "holiday:valentine": "valentine's day, valentines day, valentine's",
    "holiday:thanksgiving": "thanksgiving",
    "holiday:black friday": "black friday",
    "holiday:easter": "easter, easter sunday",
    "clock:12": "noon, midday",
    "ampm:am": "am",
    "ampm:pm": "pm",
    # how it is said
    "will": "will, would, wil, shall, going, gonna, gunna, could, can, might, may be, should, 'll, wll, wud",
    "have": "have, has, had",
    "did": "did, was, were",
    "what": "what, what's, whats, where, where's, wheres",
    "how": "how, how high, how low, how far, how much, how's, hows",
    "when": "when, wen, when's, how soon, how long until, how long before",
    "why": "why, how come",
    "who": """
        who, work, works, used for, used to do, whose, explain, define, definition, invented, founder, history,
        meaning, how to, how do i, how does, how did, how many, what is a, tell me about, teach, describe, how old,
        what does, inventor, creator, tutorial, white paper, whitepaper, password, seed phrase, private key, explain
        what, chemical, symbol, capital of, who's
    """,
    "forecast": """
        forecast, forecasts, prediction, predictions, predict, outlook, expect, expectation, expectations, think,
        thoughts, opinion, view, views, trend, trending, direction, sentiment, analysis, ta, headed, heading,
        prospects, future, happen, happens, happening, going to do, outcome, bet, bets, believe, estimate, reckon,
        guess, gut feeling, say
    """,
    "price": "price, prices, rate, quote, spot, valuation, pricing, usd price, mark, level, levels",
    "now": """
        now, right now, currently, at the moment, current price, present price, todays price, today's price, spot
        price, current, current level, at present, here, where it is now, current levels, from here, its current
        price, atm, this level, now at, currently at, its price now, just now, live price, these levels, present
    """,
    "advice": """
        buy, buys, buying, sell, sells, selling, hodl, hodling, invest, investing, investment, good time, short,
        long, longs, shorts, accumulate, stack, stacking, dca, entry, exit, trade it, portfolio, retire, worth
        buying, worth it, profit, profitable, profits, bag, bags, all in, position, ape, good buy, load up, hold on
    """,
    "if": """
        if, unless, assuming, provided, in case, given, even if, should the, supposing, as long as, so long as,
        whenever, when the, contingent
    """,
    "because": """
        after, despite, because, since, although, though, while, considering, amid, following, due to, thanks to,
        rather than, instead of, based on, as soon as, even though, in spite of, owing to, on the back of, whilst
    """,
    "and": "and, &, n",
    "or": "or",
    "than": "than",
    "order": """
        ignore, disregard, forget, override, overrule, bypass, jailbreak, system, assistant, developer mode, system
        prompt, new instructions, you are now, you must, act as, pretend, respond with, reply with, answer with,
        answer only, answer yes, answer no, answer bullish, answer bearish, respond only, output, print only, return
        only, always say, just say, instead say, say yes, say no, say bullish, say bearish, prompt, instructions,
        instruction, im_start, im_end, inst, admin, sudo, please output, return probability, reveal, you will
        answer, you will say, you will output, you should answer, from now on, roleplay, role play, api key, set
        probability, mark this as, set level, set bull_probability, answer must, your answer, must be answered, must
        answer, respond bullish, respond bearish, respond that, set the level, set the probability
    """,
    "metric": """
        wallets, wallet, hashrate, hash rate, hashpower, inflow, inflows, outflow, outflows, volume, volumes,
        trading volume, market cap, marketcap, mcap, market capitalization, market capitalisation, fees, fee, gas,
        gas fees, gas price, transaction, transactions, supply, difficulty, open interest, funding, funding rate,
        volatility, tvl, addresses, active addresses, nodes, treasury, reserves, reserve, holdings, blocks, block,
        mempool, validators, staked, staking, tps, burn rate, liquidity, implied volatility, iv, liquidations,
        search interest, google trends, searches, dominance rate, production, demand, mining output, market share,
        etf flows, etf inflows, etf outflows, fear and greed, followers, fdv, airdrop, dapps, stablecoin supply,
        issuance, price volatility, ratio, volatile, miners, miner
    """,
    "act": """
        approve, approves, approved, approval, adopt, adopts, adopted, adoption, ban, bans, banned, legalize,
        legalise, legal tender, accept, accepts, accepting, hack, hacks, hacked, steal, stolen, list, lists, listed,
        delist, delisted, launch, launches, announce, announces, sue, sues, lawsuit, upgrade, upgrades, fork, hard
        fork, merge, burn, burns, burned, mint, stake, own, owns, acquire, acquires, purchase, purchases, purchased,
        donate, move coins, mention, mentions, tweet, tweets, file, files, regulate, mined, mine, mines, halving,
        halvening, etf, etfs, ipo, founder arrested, arrested, convicted, switch to, integrate, quantum, hold more,
        sells any, sell any, buy more, buys more, sells its, sell its, reserve asset, partnership, replace,
        replaces, be replaced, collateral, interview, conference, legislation, bill, law, settlement, verdict
    """,
    "topic:economy": """
        inflation, economy, interest rate, interest rates, fed, fomc, rate cut, rate cuts, rate hike, cpi, gdp,
        recession, unemployment, jobs report, tariffs
    """,
    "topic": """
        invest in, investments, bond, yields, trader, traders, shares, share price, dividend, earnings, ipo price,
        hedge fund, derivatives, token, tokens, coin, coins, assets, asset, commodities, commodity, precious metals,
        metals, blockchain, web3, exchange rate, asset price, financial markets, fund
    """,
    "both": "either direction, either way, both directions",
    "filler": """
        by a lot, by far, by the way, by any chance, by itself, by now, s, i, it, its, it's, that, that's, these,
        those, there, there's, they, them, their, he, she, his, her, my, me, we, us, our, you, your, u, ur, as,
        with, about the, again, still, also, just, only, very, really, quite, too, so, but, please, pls, plz, tell,
        know, want, wanna, wonder, wondering, ask, asking, question, answer, quick, guys, fam, bro, dude, sir, sirs,
        mate, friend, hey, hi, hello, gm, ok, okay, well, then, than that, much, many, more, most, less, least, big,
        huge, strong, strongly, hard, fast, slowly, soon, quickly, shortly, finally, eventually, actually, possibly,
        probably, maybe, perhaps, definitely, likely to, expected, able, ready, set to, continue, continues,
        continuing, keep on, start to, starting to, begin, begins, begin to, manage to, manages to, try to, tries
        to, able to, time, times, period, point, average, daily, weekly, monthly, session, mark level, barrier,
        resistance, support, psychological, milestone, went, coming back, got, take, takes, turn, turns, say about,
        look, looks, looking, put, let, lets, let's, give, gives, need, needs, help, use, used, good, bad, great,
        nice, new, old, same, other, another one, any, anything, something, everything, nothing, all, both, each,
        every, some of, such, own it, self, because of, into, onto, off, out of, around here, back, away, again
        soon, against the, per, an ounce, ounce, ounces, oz, troy, coin price, exchange, exchanges, coinbase,
        kraken, chart, charts, candle, candles, utc, gmt, market, markets, world, people, everyone, anyone, someone,
        experts, analysts, wall street, investors, holders, crowd, whale, whales, lfg, wagmi, ngmi, lol, lmao, haha,
        btw, imo, imho, tbh, rn, idk, ffs, omg, wtf, af, yo, king, dream, crazy, insane, massive, whopping, major,
        key, big one, size, money, cash, value of, worth of, digital, asset class, yes please, thanks, thank, thx,
        cheers, dear, oracle, ai, via, between now, whether, way, here is, lately, recently, yet, ever again,
        already, trigger, happening to, case, scenario, cycle, dead, alive, over valued, overvalued, undervalued,
        scam, bubble, safe, risky, risk, smart, idea, reason, reasons, news, update, season, phase, next move, close
        call, total, high, low, highest, lowest, short term, long term, medium term, near term, term, road, line,
        horizon, timeframe, bottom, bottomed, peak, peaked, topped, in the tank, feel, feeling, feels, seems, seem,
        appear, mean, means, though not, ones, lot, bit, little, kind, sort
    """,
}
