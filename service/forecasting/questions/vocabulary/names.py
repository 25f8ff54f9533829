"""The names of the seven assets in every language read here, and of what is named like one of them and is not.

A longer name wins, so "bitcoin cash" is not "bitcoin". Names that are everyday words in one of the languages
("near", "link", "sui", French "or", Turkish "altında" = "below") stand here only where nothing else can be meant.
"""

from __future__ import annotations

ASSETS: dict[str, str] = {
    "asset:btc": """
        btc, ₿, xbt, bitcoin, bitcoins, bit coin, bitcoin btc, btcusd, btcusdt, btcusdc, xbtusd, btcperp, btc usd,
        btc usdt, btc usdc, btc perp, btc dollar, bitcoin futures, bitcoin price, bitcoinkurs, bitcoinpreis,
        bitcoini, bitcoine, bitcoinin, биткоин*, биткойн*, битка, биток, битку, битке, ビットコイン, 比特币, 比特幣, 비트코인*,
        بيتكوين, البيتكوين, बिटकॉइन, ביטקוין
    """,
    "asset:eth": """
        eth, ether, ethers, ethereum, ethereum eth, ethusd, ethusdt, ethusdc, ethperp, eth usd, eth usdt, eth usdc,
        eth perp, ethereum futures, ethereum price, ethereumkurs, ethereumpreis, etherium, etherum, эфириум*, эфир,
        эфира, эфиру, эфире, этериум*, イーサリアム, イーサ, 以太坊, 以太币, 以太幣, 이더리움*, إيثيريوم, الإيثيريوم
    """,
    "asset:sol": """
        sol, solana, solana sol, solusd, solusdt, solusdc, solperp, sol usd, sol usdt, sol usdc, sol perp,
        solanakurs, solona, solanna, sollana, slana, salana, солана, соланы, солане, солану, соланой, ソラナ, 索拉纳
    """,
    "asset:bnb": """
        bnb, bnbusd, bnbusdt, bnb usd, bnb usdt, binance coin, binancecoin, binance bnb, binance koin, бнб, бинанс
        коин, 币安币, 幣安幣, バイナンスコイン
    """,
    "asset:xrp": """
        xrp, xrpusd, xrpusdt, xrp usd, xrp usdt, ripple, ripple xrp, xrp ripple, ripple coin, riple, rippel,
        xrpkurs, рипл, рипла, риплу, рипле, риппл, リップル, 瑞波币, 瑞波幣
    """,
    "asset:gold": """
        gold, xau, xauusd, xau usd, paxg, paxg usdt, gold price, gold futures, spot gold, comex gold, bullion, gold
        bullion, goldpreis, goldkurs, goldpreises, oro, l'oro, dell'oro, all'oro, ouro, l'or, золото, золота,
        золоту, золоте, золотом, altin, altinin, ons altin, ons altinin, 黄金, 黃金, 现货黄金, 金价, 金價, 金価格, 金相場, 金は, 金が, 金の,
        金と, 金も, ゴールド
    """,
    "asset:silver": """
        silver, xag, xagusd, xag usd, silver price, silver futures, spot silver, silver bullion, silber,
        silberpreis, silberkurs, plata, la plata, prata, argento, l'argento, dell'argento, cours de l'argent, prix
        de l'argent, once d'argent, l'argent metal, серебро, серебра, серебру, серебре, серебром, gumus, gumusun,
        白银, 白銀, 银价, 銀価格, 銀は, 銀が, 銀の, 銀と, 銀も, シルバー
    """,
    # The whole crypto market: read as Bitcoin, its stand-in.
    "widely": """
        crypto, cryptos, cryptocurrency, cryptocurrencies, crypto market, the crypto market, crypto markets, crypto
        prices, cryptomarket, the market, the markets, bull run, crypto winter, krypto, kryptos, kryptomarkt,
        kryptowahrung, kryptowahrungen, cripto, criptos, criptomoneda, criptomonedas, criptomoeda, criptomoedas,
        criptovaluta, criptovalute, mercado cripto, mercato cripto, cryptomonnaie, cryptomonnaies, marche crypto,
        marche des cryptos, kripto, kripto para, kripto paralar, kripto piyasasi, крипта, крипту, крипты, крипте,
        крипторын*, криптовалют*, 加密货币, 加密貨幣, 加密市场, 币圈, 幣圈, 数字货币, 仮想通貨, 暗号資産
    """,
}

# Markets that are not followed here, and things of an asset that are not its price.
OTHERS: dict[str, str] = {
    "other:lookalike": """
        bitcoin cash, bch, bitcoin sv, bsv, bitcoin gold, btg, bitcoin diamond, bitcoin private, bitcoin hyper,
        bitcoin 2x, bitcoin dominance, btc dominance, bitcoin's dominance, btc d, dominance, dominanz, dominancia,
        dominanza, доминация, доминация биткоина, wrapped bitcoin, wrapped btc, wbtc, cbbtc, wrapped ether, weth,
        staked ether, steth, reth, ethereum classic, ethereum name service, ethereum pow, ethw, ethfi, ether fi,
        ethena, ens token, rlusd, ripple stock, ripple shares, ripple ipo, tether gold, ビットコインキャッシュ, イーサリアムクラシック,
        比特币现金, 比特幣現金, 以太经典, эфириум классик, биткоин кэш, биткоин кеш
    """,
    "other:fund": """
        bitcoin etf, bitcoin etfs, btc etf, btc etfs, spot bitcoin etf, spot bitcoin etfs, bitcoin spot etf, spot
        btc etf, ethereum etf, ethereum etfs, eth etf, eth etfs, spot ethereum etf, spot eth etf, solana etf, solana
        etfs, sol etf, spot solana etf, xrp etf, xrp etfs, spot xrp etf, bnb etf, gold etf, gold etfs, silver etf,
        gld, slv, ibit, gbtc, ethe, bito, gold miners, gold miner, gold mining, gold mining stocks, gold stocks,
        silver stocks, silver miners, gdx, gdxj, barrick, barrick gold, newmont
    """,
    "other:coin": """
        dogecoin, dogecoins, doge, shiba inu, shiba, shib, cardano, ada, avalanche, avax, polkadot, chainlink,
        polygon, matic, litecoin, ltc, tron, trx, toncoin, stellar, xlm, monero, xmr, uniswap, aave, cosmos,
        algorand, near protocol, aptos, arbitrum, hedera, hbar, filecoin, pepe, bonk, dogwifhat, floki, trump coin,
        hyperliquid, zcash, zec, eos, tezos, celestia, worldcoin, wld, injective, kaspa, vechain, iota, pi coin, pi
        network, memecoin, memecoins, meme coin, meme coins, altcoin, altcoins, alt coins, alts, altseason, alt
        season, shitcoin, shitcoins, stablecoin, stablecoins, tether, usdc, defi, nft, nfts, догикоин, догекоин,
        дожкоин, лайткоин, альткоин*, альты, 狗狗币, 柴犬币, 莱特币, 艾达币, 山寨币, ドージコイン, カルダノ, アルトコイン
    """,
    "other:company": """
        tesla, tsla, apple, aapl, nvidia, nvda, microsoft, msft, amazon, amzn, alphabet, netflix, nflx, gamestop,
        gme, microstrategy, mstr, coinbase stock, palantir, pltr, airbnb, goldman, goldman sachs, spacex, openai,
        robinhood, blackrock, metaplanet, el salvador, satoshi, satoshi nakamoto, saylor, michael saylor, stock,
        stocks, stock price, stock market, the stock market, equities, shares of, aktie, aktien, acciones, actions
        en bourse, azioni, acoes, bourse, borsa, hisse, акции, акций, 股票, 股市, 美股, A股, 特斯拉, 英伟达, 株価, 株式, テスラ
    """,
    "other:index": """
        s&p 500, s&p500, s&p, sp500, sp 500, s p 500, spx, spy, nasdaq, nasdaq 100, qqq, dow jones, the dow, djia,
        russell 2000, ftse, ftse 100, dax, cac 40, cac40, ibex, ibex 35, euro stoxx, nikkei, nikkei 225, topix, hang
        seng, kospi, sensex, nifty, nifty 50, bist 100, bist, bovespa, ibovespa, vix, 日経, 日経平均, 纳斯达克, 标普, 道琼斯, 上证
    """,
    "other:commodity": """
        oil, oil price, oil prices, crude, crude oil, wti, brent, natural gas, natgas, gasoline, copper, platinum,
        palladium, uranium, wheat, corn, soybeans, coffee, cocoa, iron ore, lithium, olpreis, erdol, petrole,
        petroleo, petrolio, petrol, нефть, нефти, нефтью, 原油, 石油
    """,
    "other:currency": """
        eur usd, eurusd, eur/usd, gbp usd, gbpusd, usd jpy, usdjpy, usd try, usdtry, usd cny, eur gbp, dxy, dollar
        index, the dollar, the euro, the yen, the pound, forex, treasury yield, treasury yields, bond yields, 10
        year yield, bonds, housing market, house prices, home prices, real estate, доллар, курс доллара, курс рубля,
        ドル円, 汇率
    """,
}

# Neither a market nor ours: medals, films, places, the sun.
DECOYS: dict[str, str] = {
    "decoy": """
        gold medal, gold medals, gold medalist, gold medallist, silver medal, silver medals, medal, medals, olympic,
        olympics, olympic gold, win gold, wins gold, won gold, winning gold, win silver, wins silver, won silver,
        team gold, gold rush, gold mine, gold mines, gold standard, gold card, gold digger, gold plated, gold ring,
        gold rings, gold necklace, gold chain, gold watch, gold coast, gold star, gold record, gold album, gold
        leaf, gold tooth, gold teeth, gold jewelry, gold jewellery, gold cup, gold glove, gold fish, gold dust, gold
        award, gold derby, gold paint, gold color, gold colour, gold dress, fool's gold, fools gold, black gold,
        white gold, rose gold, solid gold, going gold, go gold, heart of gold, pot of gold, xbox live gold, golden,
        silver lining, silver linings, silver surfer, silver bullet, silver screen, silver spoon, silver fox, silver
        star, silver age, silver hair, silver spring, silver springs, silver lake, silver ring, silver jewelry,
        silver jewellery, silver plate, silver paint, silver award, silverware, nate silver, adam silver, long john
        silver, ripple effect, ripple effects, a ripple in, ripple in the, eth zurich, ethz, sol campbell, el sol,
        del sol, al sol, o sol, do sol, ao sol, costa del sol, puesta de sol, salida del sol, rio de la plata, mar
        del plata, medalla de oro, medallas de oro, medalla de plata, balon de oro, siglo de oro, medalha de ouro,
        medalha de prata, medaglia d'oro, medaglia d'argento, medaille d'or, medaille d'argent, ballon d'or, de
        l'argent, goldmedaille, goldmedaillen, silbermedaille, altin madalya, gumus madalya, altin portakal, золотая
        медаль, золотой мяч, золотая, золотой, золотую, золотое, серебряная, 金牌, 银牌, 銀牌, 银行, 銀行, 金メダル, 銀メダル, 黄金周,
        黄金週, 黄金时代, ゴールデンウィーク, シルバーウィーク, bitcoin pizza, bitcoin magazine, bitcoin core
    """,
}
