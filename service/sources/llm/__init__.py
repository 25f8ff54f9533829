"""Language models as voters: providers, requests, failures and costs."""
