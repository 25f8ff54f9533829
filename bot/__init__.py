"""The Telegram bot: it relays questions to the service and shows what the service knows. It imports only its client."""
