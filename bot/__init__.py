"""The Telegram bot: it sends questions to the service and shows its documents. It imports only the service's client."""

import os

# Telegram's library gives time periods as timedelta objects, as its next version will; until then it asks for consent.
os.environ.setdefault("PTB_TIMEDELTA", "1")
