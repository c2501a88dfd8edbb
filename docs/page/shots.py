"""Takes the pictures of docs/page.md: every designed state of the page.

    python3 docs/page/shots.py [--only NAME …] [--out FOLDER]

It starts a server and drives Chromium (`CHROMIUM`, or /usr/bin/chromium) with Playwright.
"""

# ruff: noqa: D103

from __future__ import annotations

import argparse
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
HARD = "BUDBULRDDRFFFRDBFLFBBBFRDRLBDURDDRFFRLULLUFBLLRULBUUUD"
TWISTED = "UUUUUUUUFURRRRRRRRFFRFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
WIDE = {"viewport": {"width": 1180, "height": 740}}
DARK = {**WIDE, "color_scheme": "dark"}
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


class Stage:
    """A page at a server's address, and the server."""

    def __init__(self, page: Page, url: str, server: subprocess.Popen[str]) -> None:
        self.page, self.url, self.server = page, url, server

    def open(self, **wish: object) -> None:
        self.page.goto(self.url + "#" + "&".join(f"{k}={v}" for k, v in wish.items()))
        self.page.wait_for_selector("body:not([data-state=loading])", timeout=30000)
        self.page.wait_for_timeout(500)

    def state(self, name: str, seconds: float = 60) -> None:
        self.page.wait_for_selector(f"body[data-state={name}]", timeout=1000 * seconds)
        self.page.wait_for_timeout(300)

    def solve(self, name: str = "solved") -> None:
        self.page.click("#solve")
        self.state(name)

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.page.keyboard.press(".")
            self.page.wait_for_timeout(400)


def idle(s: Stage) -> None:
    s.open(puzzle="cube3", state=HARD)


def editing(s: Stage) -> None:
    s.open(puzzle="cube3", state=HARD)
    s.page.click("#edit")
    s.page.click("#editor-buttons button:first-child")
    s.page.click("[aria-label='all faces']")
    for cell in (0, 1, 9, 10, 11, 18, 19):
        s.page.locator(".sticker").nth(cell).click()
        s.page.locator(".swatch").nth((cell * 5 + 2) % 6).click()
    s.page.wait_for_timeout(400)


def face(s: Stage) -> None:
    s.open(puzzle="cube3")
    s.page.click("#edit")
    s.page.click("#editor-buttons button:first-child")
    s.page.click("[aria-label='green face']")
    for cell, colour in ((18, 5), (19, 3), (20, 0), (21, 2), (23, 4)):
        s.page.locator(".swatch").nth(colour).click()
        s.page.locator(".sticker").nth(cell).click()
    s.page.wait_for_timeout(300)


def invalid(s: Stage) -> None:
    s.open(puzzle="cube3")
    s.page.click("#edit")
    for cell, letter in ((8, "f"), (9, "u"), (20, "r")):
        s.page.locator(".sticker").nth(cell).focus()
        s.page.keyboard.press(letter)
    s.state("invalid")


def solving(s: Stage) -> None:
    s.open(puzzle="cube3", state=HARD, solver="optimal", optimal=1, seconds=60)
    s.page.click("#solve")
    s.page.wait_for_selector(".bests:not(:empty)", timeout=60000)
    s.page.wait_for_timeout(1500)


def solved(s: Stage) -> None:
    s.open(puzzle="cube3", state=HARD)
    s.solve()
    s.steps(6)


def proved(s: Stage) -> None:
    board = "5+1+2+4+9+6+3+8+13+10+7+11+0+14+15+12"
    s.open(puzzle="puzzle15", state=board)
    s.page.click("#scramble")
    s.page.wait_for_timeout(500)
    s.solve()
    s.steps(8)


def stopped(s: Stage) -> None:
    s.open(puzzle="cube3", state=HARD, solver="bidirectional", seconds=60)
    s.page.click("#solve")
    s.page.wait_for_timeout(1500)
    s.page.click("#solve")
    s.state("stopped")


def spent(s: Stage) -> None:
    s.open(puzzle="cube3", state=HARD, solver="dfs", seconds=2)
    s.solve("spent")


def compare(s: Stage) -> None:
    board = "5+1+2+4+9+6+3+8+13+10+7+11+0+14+15+12"
    s.open(puzzle="puzzle15", state=board, solver="ida-light", against="rows")
    s.solve()


def lost(s: Stage) -> None:
    s.open(puzzle="cube3", state=HARD)
    s.server.send_signal(signal.SIGINT)
    s.server.wait(20)
    s.page.click("#scramble")
    s.page.wait_for_selector("#lost:not([hidden])")
    s.page.wait_for_timeout(300)


def keys(s: Stage) -> None:
    s.open(puzzle="cube3")
    s.page.keyboard.press("?")
    s.page.wait_for_timeout(300)


def cube7(s: Stage) -> None:
    s.open(puzzle="cube7")
    s.page.click("#scramble")
    s.page.wait_for_timeout(500)


def lights(s: Stage) -> None:
    s.open(puzzle="lightsout5", state="11011+00000+01110+00100+01010")
    s.page.click("#scramble")
    s.page.wait_for_timeout(400)
    s.solve()
    s.steps(3)


def sokoban(s: Stage) -> None:
    room = "########|#---#--#|#-$-.--#|##-#--##|#-@$.--#|#------#|########"
    s.open(puzzle="sokoban", state=room.replace("#", "%23"))
    s.solve()
    s.steps(5)


def pyraminx(s: Stage) -> None:
    s.open(puzzle="pyraminx")
    s.page.click("#scramble")
    s.page.wait_for_timeout(400)


SHOTS: dict[str, tuple[Callable[[Stage], None], dict[str, object]]] = {
    "idle": (idle, WIDE),
    "editing": (editing, WIDE),
    "invalid": (invalid, DARK),
    "solving": (solving, WIDE),
    "solved": (solved, WIDE),
    "proved": (proved, DARK),
    "stopped": (stopped, WIDE),
    "spent": (spent, DARK),
    "compare": (compare, WIDE),
    "lost": (lost, WIDE),
    "keys": (keys, DARK),
    "cube7": (cube7, DARK),
    "lights": (lights, DARK),
    "sokoban": (sokoban, WIDE),
    "pyraminx": (pyraminx, WIDE),
    "phone-idle": (idle, PHONE),
    "phone-editing": (editing, PHONE),
    "phone-face": (face, PHONE),
    "phone-invalid": (invalid, PHONE),
    "phone-solved": (solved, PHONE),
}


def keep(picture: bytes, path: Path) -> None:
    """Writes a picture in few colours and not too wide, so that the documents stay small."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    if image.width > 900:
        image = image.resize((900, image.height * 900 // image.width), Image.Resampling.LANCZOS)
    image.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=list(SHOTS))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    wish = parser.parse_args()
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in wish.only:
            act, look = SHOTS[name]
            command = [sys.executable, "-m", "homeward", "serve", "--port", "0"]
            server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert server.stdout is not None
            url = server.stdout.readline().split()[1]
            page = browser.new_context(**look).new_page()  # type: ignore[arg-type]
            page.on("pageerror", lambda error: print("page error:", error))
            try:
                act(Stage(page, url, server))
                keep(page.screenshot(), wish.out / f"{name}.png")
                print(name)
            finally:
                page.context.close()
                server.send_signal(signal.SIGINT)
                server.wait(20)
        browser.close()


if __name__ == "__main__":
    main()
