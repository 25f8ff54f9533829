"""Real language models in the seats: who they are, how they are asked, and what they may cost."""
