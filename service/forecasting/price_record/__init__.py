"""The record of the price forecasts: committed once an hour, scored when their horizon has passed."""
