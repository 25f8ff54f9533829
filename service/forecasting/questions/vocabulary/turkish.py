"""Turkish: the verbs are built from their stems, since saying no is an ending."""

from __future__ import annotations

WILL = "er ar ir ur ecek acak iyor uyor ebilir abilir ebilecek abilecek mesi masi meye maya mek mak erse arsa irse ursa se sa".split()
WILL_NOT = "mez maz meyecek mayacak miyor muyor emez amaz emeyecek amayacak emiyor amiyor meden madan".split()
DID = "di ti du tu mis mus".split()

STEMS: dict[str, str] = {
    "reach": "ulas gor dokun eris gel var vur degin",
    "break": "kir del",
    "exceed": "as gec",
    "rise": "yuksel art cik kazan firla tirman toparlan buyu pompala",
    "fall": "dus in azal cok gerile geril kaybed batar bat cakil",
    "stay": "kal tutun koru",
    "close": "kapan kapat bitir tamamla",
    "meet": "ol",
    "multiple:2": "katla katlan",
}


def _forms(stems: str, endings: list[str]) -> str:
    return ", ".join(stem + ending for stem in stems.split() for ending in endings)


VERBS: dict[str, str] = {
    **{kind: _forms(stems, WILL) for kind, stems in STEMS.items()},
    **{f"not + {kind}": _forms(stems, WILL_NOT) for kind, stems in STEMS.items()},
    **{f"{kind}:past": _forms(STEMS[kind], DID) for kind in ("rise", "fall", "reach", "break")},
}

OTHERS: dict[str, str] = {
    "rise": "yukselis, yukseliste, artis, yukselise",
    "fall": "dusus, dususte, dususe, cokus, gerileme, duzeltme, kayip, deger kaybed*",
    "up": "yukari, yesil, yesilde, daha yuksek, yukarida, pozitif, artida",
    "down": "asagi, kirmizi, kirmizida, daha dusuk, asagida, negatif, ekside",
    "mood:up": "boga, yukselis yonlu",
    "mood:down": "ayi, dusus yonlu",
    "above": """
        uzerinde, uzerine, uzeri, uzerini, ustunde, ustune, ustu, fazla, daha fazla, en az, asagi degil,
        yukarisinda, den fazla, dan fazla
    """,
    "below": "altinda, altina, alti na, en fazla, den az, dan az, daha az, altini, asagisinda, asagisina",
    "ormore": "veya uzeri, veya daha fazla, ve uzeri, ya da uzeri",
    "orless": "veya alti, veya daha az, ve alti",
    "between": "arasinda, araliginda, arasi",
    "to": "seviyesine, seviyesini, seviyesinde",
    "flat": "yatay, sabit",
    "be": "deger, degerinde, islem gorur, islem gorecek, fiyati olur, eder, edecek",
    "not + be": "degil, etmez, etmeyecek",
    "ever": "herhangi bir zamanda, bir noktada, en az bir kez, bir gun, bir kere",
    "record": """
        tum zamanlarin en yuksegi, tum zamanlarin zirvesi, rekor, yeni zirve, zirve, zirvesini, en yuksek seviye,
        tarihi zirve, dip, yeni rekor
    """,
    "multiple:2": "ikiye katlar, ikiye katlan*, iki katina",
    "multiple:0.5": "yariya iner, yariya duser, yarisini, yari yariya",
    "outperform": """
        daha iyi performans, daha iyi, daha cok kazandir*, geride birak*, daha cok yukselir, daha fazla yukselir
    """,
    "underperform": "daha kotu performans, daha kotu, geride kalir",
    "versus": "karsi, kiyasla, gore",
    "which": "hangi, hangisi",
    "not:ever": "asla, hicbir zaman",
    "not": "yok, hicbir, imkansiz",
    "fail": "basarisiz",
    "noise": "degil mi, mi yoksa degil mi, evet mi hayir mi, evet hayir",
    "numword:2": "iki, birkac",
    "numword:3": "uc",
    "numword:4": "dort",
    "numword:5": "bes",
    "numword:7": "yedi",
    "numword:8": "sekiz",
    "numword:9": "dokuz",
    "numword:10": "on",
    "numword:12": "on iki",
    "numword:20": "yirmi",
    "numword:30": "otuz",
    "numword:50": "elli",
    "numword:90": "doksan",
    "numword:0.5": "yarim",
    "numword:1.5": "bucuk",
    "times:100": "yuz",
    "times:1000": "bin",
    "times:1000000": "milyon",
    "times:1000000000": "milyar",
    "percent": "yuzde",
    "money": "dolar, dolari, dolara, dolarin, dolardan, dolarlik, dolarin da",
    "cent": "sent",
    "foreign": "tl, turk lirasi, lira",
    "weight": "gram, kilo",
    "chance": "olasilik, ihtimal, sans, olasiligi, ihtimali, kesin",
    "approx": "yaklasik, neredeyse, civari, civarinda",
    "a": "bir",
    "before": "once, oncesinde, evvel",
    "until:start": "kadar, dek",
    "by": "itibariyla, itibariyle",
    "within": "icinde, icerisinde, zarfinda",
    "during": "boyunca, suresince",
    "from": "itibaren",
    "later": "sonra, sonrasinda",
    "this": "bu",
    "this + unit:month": "bu ayi",
    "next": "gelecek, onumuzdeki, haftaya, sonraki, oteki",
    "last": "gecen, gectigimiz, son",
    "end": "sonu, sonuna, sonunda, sonundan, sonunu, bitimine, bitmeden",
    "start": "basi, basinda, basina",
    "mid": "ortasi, ortasinda, ortasina",
    "eo:day": "gece yarisi, gun sonu, gunluk kapanis",
    "eo:week": "haftalik kapanis",
    "eo:month": "aylik kapanis",
    "eo:year": """
        yil sonu, yil sonuna, yil sonunda, yilsonu, yilsonuna, yilsonunda, yil sonundan, sene sonu, sene sonuna
    """,
    "rel:0": "bugun, bu gece, bu aksam",
    "rel:1": "yarin",
    "rel:2": "obur gun",
    "rel:-1": "dun",
    "weekend": "hafta sonu, hafta sonuna, hafta sonunda, haftasonu, haftasonuna",
    "unit:minute": "dakika",
    "unit:hour": "saat, saatte, saatlik",
    "unit:day": "gun, gunde, gune, gunluk, gunu, gunune, gunler",
    "unit:week": "hafta*",
    "unit:month": "ay, ayda, aylik, ayin, ayinda",
    "unit:quarter": "ceyrek, ceyrekte, ceyregi*",
    "unit:year": "yil, yilda, yili, yilinda, yilinin, yilin, sene*",
    "ordinal:1": "ilk, birinci",
    "ordinal:2": "ikinci",
    "ordinal:3": "ucuncu",
    "ordinal:4": "dorduncu",
    "month:1": "ocak*",
    "month:2": "subat*",
    "month:3": "mart*",
    "month:4": "nisan*",
    "month:5": "mayis*",
    "month:6": "haziran*",
    "month:7": "temmuz*",
    "month:8": "agustos*",
    "month:9": "eylul*",
    "month:10": "ekim*",
    "month:11": "kasim*",
    "month:12": "aralik*, araligin",
    "weekday:0": "pazartesi*",
    "weekday:1": "sali, saliya",
    "weekday:2": "carsamba*",
    "weekday:3": "persembe*",
    "weekday:4": "cuma, cumaya",
    "weekday:5": "cumartesi*",
    "weekday:6": "pazar, pazara",
    "season:spring": "ilkbahar",
    "season:summer": "yazin, yaz",
    "season:autumn": "sonbahar",
    "season:winter": "kisin, kis",
    "holiday:christmas": "noel",
    "holiday:new year": "yeni yil*, yeni yila",
    "holiday:new year's eve": "yilbasi*",
    "clock:12": "oglen",
    "what": "ne, nerede, nereye",
    "how": "nasil, kac, ne kadar",
    "when": "ne zaman",
    "why": "neden, niye, nicin",
    "who": "kim, acikla, nedir",
    "forecast": "tahmin*, beklenti*, sence, sizce, gorus*, yorum*, yon, gidisat, ne olur, ne olacak",
    "price": "fiyat*, kur, fiyati, fiyatin*",
    "now": "simdi, su an, suan, guncel, simdiki, su anki",
    "advice": "al, sat, almali, satmali, alinir, satilir, yatirim, alayim, satayim",
    "if": "eger",
    "because": "ragmen, yuzunden, nedeniyle, dolayi, yerine, sonrasi",
    "and": "ve, ile",
    "or": "veya, ya da, yoksa, mi yoksa, mu yoksa",
    "order": "yok say, gormezden gel, talimat*, cevap ver, unut",
    "metric": "piyasa degeri, hacim, islem hacmi, hashrate, volatilite",
    "act": "onayla*, yasakla*, yarilanma, madencilik",
    "topic:economy": "enflasyon, faiz, faizler, ekonomi, resesyon",
    "ask": "mi, mu, misin, midir, mudur",
    "filler": """
        ya, ye, yi, yu, a, e, i, u, da, de, ta, te, dan, den, nin, nun, in, un, na, ne, si, su, o, ben, sen, biz,
        siz, icin, daha, cok, yeniden, tekrar, hala, acaba, artik, gibi, kadar mi, ons, onsu, olabilir, mumkun,
        gercekten, bence, seviye, lik, luk, lari, ki, sey, her, merhaba, arkadaslar, para, den once, birim, coin
    """,
}


def _joined(kind: str) -> str:
    return ", ".join(table[kind] for table in (VERBS, OTHERS) if kind in table)


WORDS: dict[str, str] = {kind: _joined(kind) for kind in {**VERBS, **OTHERS}}
