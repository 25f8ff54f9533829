"""The Telegram bot: it sends questions to the service and shows its documents. It imports only the service's client."""
