"""Text to states and moves, and back."""

from homeward.notation.format import Format, ParseError, format_of
from homeward.notation.state import State

__all__ = ["Format", "ParseError", "State", "format_of"]
