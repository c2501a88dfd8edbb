"""What the pictures of boards share: a few SVG shapes, and colour in the terminal."""

from __future__ import annotations

from collections.abc import Iterable


def svg(width: int, height: int, title: str, shapes: Iterable[str]) -> str:
    """One `<svg>` element of that size in pixels."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img"><title>{title}</title>'
        + "".join(shapes)
        + "</svg>"
    )


def rect(
    x: float, y: float, width: float, height: float, fill: str, corner: float = 0, more: str = ""
) -> str:
    """A rectangle with corners of radius `corner`; `more` holds further attributes."""
    corners = f' rx="{corner:g}"' if corner else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{corners} '
        f'fill="{fill}"{more and " " + more}/>'
    )


def circle(x: float, y: float, radius: float, fill: str, more: str = "") -> str:
    """A circle about `x`, `y`."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"{more and " " + more}/>'


def text(x: float, y: float, size: float, words: str, fill: str) -> str:
    """Words centred at `x`, `y`."""
    # A third of the size down puts figures in the middle, also where baselines are ignored.
    return (
        f'<text x="{x:g}" y="{y + 0.36 * size:g}" font-size="{size:g}" text-anchor="middle" '
        f'font-family="sans-serif" font-weight="600" fill="{fill}">{words}</text>'
    )


def ansi(code: str, words: str) -> str:
    """Words in a terminal's colour, such as `38;5;203`; as they are without one."""
    return f"\x1b[{code}m{words}\x1b[0m" if code else words
