"""How a net learns to estimate. The only room that trains; needs torch."""
