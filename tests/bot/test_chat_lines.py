import json, time
from pathlib import Path
from types import SimpleNamespace
from telegram.ext import Application
from tests.bot.conftest import running, _recording
from bot.settings import BotSettings

import bot.rate_limiter as rl

rl.UPDATES = 1000


def test_chat(tmp_path, monkeypatch):
    tasks = set()
    monkeypatch.setattr(Application, "create_task", _recording(Application.create_task, tasks))
    key = "nf_live_7820d97f_ocVoTaprM11l8WHSZ0fcnGQx3P8GfyAAmY6or0yC9Gh_9bc0c7a0"
    settings = BotSettings("123:token", key, oracle_url="http://127.0.0.1:8130", bot_data=tmp_path)
    lines = json.loads(Path("/work/h/blind/d3.json").read_text())
    out = open("/work/h/blind/chat3.txt", "w")
    clock = SimpleNamespace(wall=time.time())
    with running(settings, tasks, clock) as stage:
        person = stage.person()
        counted = 0
        prev = None
        for l in lines:
            if counted >= 8 and not l["followup"]:
                person = stage.person()
                counted = 0
            time.sleep(3.3)
            before = len(person.messages)
            person.says(l["text"])
            texts = [m.plain + "".join(f"\n  [{b}]" for b in m.buttons) for m in person.messages[before:]]
            left = person.says("/quota").plain.partition(" of ")[0]
            out.write(
                f"{l['n']} [{l['lang']}]{' FOLLOW-UP' if l['followup'] else ''} {l['text']}\n  MEANT: {l['meaning']}\n  questions left: {left}\n"
                + "\n---\n".join(texts)
                + "\n\n"
            )
            counted = 10 - int(left) if left.isdigit() else counted
            out.flush()
