"""Tables for the 3×3×3 cube."""
