"""The nine voters: what they are shown, how each forecasts, how they are polled, and how their votes are pooled."""
