"""French."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "q": "t",
    "reach": """
        attein*, atteign*, toucher, touche, touchera, touchent, arriver, arrivera, arrive, parvien*, rejoin*, passer
        a, passe a, passera a, revenir, reviendra
    """,
    "break": "franchi*, casse, casser, cassera, percer, percera, passer, passe, passera, traverse*",
    "exceed": "depass*, exced*, surpass*",
    "rise": """
        monte, monter, montera, montent, remonte, remonter, remontera, grimpe*, augment*, hausse, progress*, gagne,
        gagner, gagnera, rebond*, flamb*, explos*, envol*, s'envol*, croit, croitre, bondi*, decolle*, en hausse,
        pumper, prendre, prendra
    """,
    "fall": """
        baisse, baisser, baissera, baissent, en baisse, chut*, tombe, tomber, tombera, tombent, descend*,
        redescend*, retomb*, plong*, perd, perdre, perdra, recul*, effondr*, s'effondr*, degringol*, crasher,
        crashera, repasser, repasse, repassera, s'ecroul*, ecroul*, replonge*
    """,
    "up": "plus haut, vert, dans le vert, positif, a la hausse, plus eleve, plus cher",
    "down": "plus bas, rouge, dans le rouge, negatif, a la baisse, moins cher",
    "mood:up": "haussier, haussiere, haussiers",
    "mood:down": "baissier, baissiere, baissiers",
    "above": """
        au dessus, au dessus de, au dessus des, au dessus du, plus de, plus que, superieur a, superieur, superieure
        a, superieur aux, au moins, plus cher que, au dela, au dela de, au dela des, plus haut que, plus eleve que,
        minimum
    """,
    "below": """
        en dessous, en dessous de, en dessous des, en dessous du, au dessous, au dessous de, au dessous des, sous,
        sous les, sous la barre des, moins de, moins que, inferieur a, inferieur, inferieur aux, inferieure a, au
        plus, au maximum, plus bas que
    """,
    "ormore": "ou plus, et plus, ou davantage",
    "orless": "ou moins, et moins",
    "between": "entre, compris entre, fourchette",
    "to": "a, au, aux, vers",
    "until": "jusqu'a, jusqu'au, jusqu'en, jusque, jusqu",
    "stay": """
        reste, rester, restera, restent, maintien*, maintenir, tenir, tiendra, tient, demeur*, se maintenir,
        conserv*
    """,
    "flat": "stable, stagn*, lateral",
    "close": "clotur*, terminer, termine, terminera, finir, finira, finit, fermer, ferme, fermera, finisse, achev*",
    "be": """
        est, sera, etre, soit, serait, sont, vaut, vaudra, valoir, vaudrait, cote, coter, cotera, coute, coutera,
        couter, s'echange*, echange*
    """,
    "ever": """
        un jour, a un moment, a un moment donne, au moins une fois, une fois, a tout moment, a n'importe quel moment
    """,
    "record": """
        plus haut historique, plus bas historique, record historique, nouveau record, record, records, nouveau
        sommet, sommet historique, nouveau plus haut, nouveau plus bas
    """,
    "multiple:2": "doubl*",
    "multiple:3": "tripl*",
    "multiple:0.5": "divise par deux, divise par 2, divisee par deux, perdre la moitie, moitie",
    "outperform": """
        surperform*, mieux que, battre, battra, bat, plus performant que, mieux performer, faire mieux que, fera
        mieux que, meilleure performance, meilleur, mieux, meilleure performance que, fera mieux
    """,
    "underperform": """
        sous perform*, sousperform*, sous performer, sous performera, moins bien que, faire pire que, fera moins
        bien que, pire que
    """,
    "versus": "contre, face a, par rapport a, par rapport au",
    "which": "quel, quelle, lequel, laquelle, qui, qui de",
    "not:ever": "jamais",
    "not": "pas, ne, n, sans, aucun, aucune, ni, non, impossible, improbable, peu probable",
    "fail": """
        echou*, echec, manquer, manquera, rater, ratera, evit*, incapable, arreter, arrete, arretera, cesse, cesser,
        cessera
    """,
    "noise": """
        ou pas, ou non, oui ou non, n'est ce pas, pourquoi pas, pas seulement, non seulement, est ce que, est ce qu,
        sais pas, je ne sais pas
    """,
    "numword:2": "deux",
    "numword:3": "trois, quelques",
    "numword:4": "quatre",
    "numword:5": "cinq",
    "numword:6": "six",
    "numword:7": "sept",
    "numword:8": "huit",
    "numword:9": "neuf",
    "numword:10": "dix",
    "numword:12": "douze",
    "numword:15": "quinze, une quinzaine",
    "numword:20": "vingt",
    "numword:30": "trente",
    "numword:50": "cinquante",
    "numword:0.5": "demi",
    "times:100": "cent, cents",
    "times:1000": "mille, milles, millier, milliers",
    "times:1000000": "million, millions",
    "times:1000000000": "milliard, milliards",
    "percent": "pour cent, pourcent, pourcents",
    "money": "dollar, dollars, dollars americains, us dollars",
    "weight": "gramme, grammes, kilo",
    "chance": "chance, chances, probabilite, probable, certain",
    "approx": "environ, presque, barre, la barre, la barre des, seuil, les, quasiment, pres de",
    "the": "le, la, l, de, du, des, d",
    "a": "un, une",
    "by": "d'ici, d'ici a, d'ici au, d'ici la, d'ici le, d'ici les, d'ici aux, au plus tard, pour",
    "before": "avant, avant la, avant le, avant les",
    "on": "le jour",
    "in": "en, dans",
    "within": "au cours, au cours de, au cours des, au cours du",
    "during": "pendant, durant",
    "from": "a partir, a compter",
    "ago": "il y a",
    "later": "a partir de maintenant, plus tard",
    "this": "ce, cet, cette, ces",
    "next": "prochain, prochaine, prochains, prochaines, a venir, suivant, suivante, qui vient",
    "last": "dernier, derniere, derniers, dernieres",
    "end": "fin, la fin",
    "start": "debut, le debut",
    "mid": "mi, milieu",
    "eo:day": "minuit, cloture journaliere, fin de journee",
    "eo:week": "cloture hebdomadaire",
    "eo:month": "cloture mensuelle",
    "eo:year": "fin d'annee, cloture annuelle, la fin d'annee",
    "rel:0": "aujourd'hui, ce soir, cette nuit",
    "rel:1": "demain, demain soir, demain matin",
    "rel:2": "apres demain",
    "rel:-1": "hier",
    "weekend": "weekend, week end",
    "unit:minute": "minute, minutes",
    "unit:hour": "heure, heures, h",
    "unit:day": "jour, jours, journee, j",
    "unit:week": "semaine, semaines",
    "unit:month": "mois",
    "unit:quarter": "trimestre, trimestres",
    "unit:year": "an, ans, annee, annees",
    "ordinal:1": "premier, premiere",
    "ordinal:2": "deuxieme, second, seconde",
    "ordinal:3": "troisieme",
    "ordinal:4": "quatrieme",
    "month:1": "janvier",
    "month:2": "fevrier",
    "month:3": "mars",
    "month:4": "avril",
    "month:5": "mai",
    "month:6": "juin",
    "month:7": "juillet",
    "month:8": "aout",
    "month:9": "septembre",
    "month:10": "octobre",
    "month:11": "novembre",
    "month:12": "decembre",
    "weekday:0": "lundi",
    "weekday:1": "mardi",
    "weekday:2": "mercredi",
    "weekday:3": "jeudi",
    "weekday:4": "vendredi",
    "weekday:5": "samedi",
    "weekday:6": "dimanche",
    "season:spring": "printemps",
    "season:summer": "ete",
    "season:autumn": "automne",
    "season:winter": "hiver",
    "holiday:christmas": "noel",
    "holiday:new year": "nouvel an",
    "holiday:new year's eve": "saint sylvestre, reveillon",
    "holiday:easter": "paques",
    "clock:12": "midi",
    "will": "va, vont, pourra, pourrait, peut, devrait, doit, ira, aller, peut il, va t il",
    "did": "etait, a ete",
    "what": "quoi, qu, que, quels, quelles",
    "how": "comment, combien, jusqu'ou",
    "when": "quand",
    "why": "pourquoi",
    "who": "explique*, invente, qu'est ce que, c'est quoi, createur, inventeur",
    "forecast": """
        prevision, previsions, prediction, avis, pensez, penses, tendance, perspective, perspectives, evolution,
        evoluer, evoluera, prevoir
    """,
    "price": "prix, cours, valeur",
    "now": "maintenant, actuel, actuelle, actuellement, en ce moment, cours actuel, prix actuel, niveau actuel",
    "advice": "acheter, vendre, investir, achat, vente",
    "if": "si, s'il, en cas, a condition",
    "because": "apres, depuis, malgre, parce, puisque, suite, grace, a cause, alors que, tandis",
    "and": "et",
    "or": "ou",
    "than": "que le, que l, que la",
    "order": "ignore, ignorez, ignorer, oublie, oubliez, reponds, repondez, instructions, instruction",
    "metric": "capitalisation, capitalisation boursiere, volume, volumes, volatilite, frais, hashrate",
    "act": "approuv*, interdi*, adopter, halving, monnaie legale, min*",
    "topic:economy": "inflation, taux d'interet, recession, economie",
    "filler": """
        faut, il, elle, on, je, tu, nous, vous, se, s, y, c, ca, plus, moins, tres, encore, aussi, deja, bientot,
        avec, sur le, qu'il, qu'elle, once, l'once, par, possible, vraiment, encore une fois, bien, fait, faire,
        selon, realiste, m, me, te, leur, son, sa, ses, mon, ma, bonjour, salut, chez, tout, tous, cela, devenir,
        nouveau, arrive t il, sur
    """,
}
