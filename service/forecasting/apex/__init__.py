"""Apex: eight layers fused into one P(higher in 24 hours) by the rule of the pool, and the accuracy of each."""
