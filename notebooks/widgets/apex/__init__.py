"""The panel of apex: its fused forecast and its virtual fund."""
