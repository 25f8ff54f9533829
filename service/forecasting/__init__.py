"""Questions, votes, consensus and what became of them. Pure."""
