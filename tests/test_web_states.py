"""The page in Chromium: every designed state, links, keys alone, small screens, a lost server."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from homeward.notation import State
from page_tools import Visitor
from web_tools import RunningServer

HARD = "BUDBULRDDRFFFRDBFLFBBBFRDRLBDURDDRFFRLULLUFBLLRULBUUUD"
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def serve() -> Iterator[Callable[..., RunningServer]]:
    """Starts servers, and stops those that still run at the end, whatever happens."""
    running: list[RunningServer] = []

    def start(*options: str) -> RunningServer:
        running.append(RunningServer(*options))
        return running[-1]

    yield start
    for one in running:
        one.stop()


# --- states of a solve


def test_solve_becomes_stop(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3", state=HARD, solver="bidirectional", seconds=60)
    assert visitor.text("#solve") == "Solve"
    visitor.page.click("#solve")
    visitor.state("solving")
    assert visitor.text("#solve") == "Stop"
    visitor.until("Number(document.querySelector('.facts dd').textContent) > 0.2")
    names = visitor.page.locator(".facts dt").all_inner_texts()
    assert names == ["Seconds", "States made", "A second", "At least"]
    before = visitor.facelets()
    visitor.press("u")  # not while a solver works on it
    assert visitor.facelets() == before
    visitor.page.click("#solve")
    visitor.state("stopped")
    assert visitor.text(".badge") == "stopped"
    assert visitor.text(".doing") == "Stopped before a solution was found."
    assert visitor.server.client.get("/api/health").json()["busy"] == 0


def test_stopping_keeps_the_best_so_far(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3", state=HARD, seconds=120)
    if visitor.page.evaluate("homeward.info.model") is None:
        pytest.skip("without a model of the cube no solver improves for long")
    visitor.page.click("#solve")
    visitor.page.wait_for_selector(".bests:not(:empty)")
    best = visitor.text(".bests").split(" → ")[-1]
    visitor.page.click("#solve")
    visitor.state("stopped")
    assert visitor.text(".doing") == "Stopped. This is the best so far."
    assert int(visitor.text("#length").split()[0]) <= int(best.split()[0])
    visitor.press("End")
    assert visitor.is_solved()


def test_a_closed_page_frees_its_solver(browser: Any, server: RunningServer) -> None:
    here = Visitor(browser, server)
    here.open(puzzle="cube3", state=HARD, solver="dfs", seconds=60)
    here.page.click("#solve")
    here.page.wait_for_selector(".badge >> text=solving")
    began = time.monotonic()
    here.page.close(run_before_unload=True)
    while server.client.get("/api/health").json()["busy"]:
        time.sleep(0.05)
    assert time.monotonic() - began < 8  # sooner than silence alone would end it
    here.close()


def test_a_spent_budget_offers_more(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3", state=HARD, solver="dfs", seconds=1)
    visitor.solve("spent")
    assert visitor.text(".badge") == "budget spent"
    assert visitor.text(".doing") == "1 seconds were not enough."
    visitor.page.click("text=Look for 30 seconds")
    visitor.state("solving")
    assert visitor.page.locator("#seconds").input_value() == "30"
    visitor.page.click("#solve")
    visitor.state("stopped")


def test_a_level_without_a_solution_says_so(visitor: Visitor) -> None:
    visitor.open(puzzle="sokoban", state="#####\n#$ .#\n# @ #\n#####")
    visitor.solve("unsolvable")
    assert visitor.text(".doing") == "No solution exists: the whole space was searched."


def test_a_busy_server_is_waited_for(browser: Any, serve: Callable[..., RunningServer]) -> None:
    small = serve("--workers", "1", "--queue", "0")
    here = Visitor(browser, small)
    here.open(puzzle="puzzle8", state="1 2 3 4 5 6 7 0 8")
    number = small.start(puzzle="cube3", state=HARD, solver="dfs", seconds=60)
    here.page.click("#solve")
    here.page.wait_for_selector(".badge >> text=busy")
    small.client.delete(f"/api/jobs/{number}")
    here.state("solved")
    assert here.text("#length") == "1 move, shortest"
    assert all("503" in error for error in here.errors)
    here.errors.clear()
    here.close()


def test_a_lost_server_is_told_and_found_again(
    browser: Any, serve: Callable[..., RunningServer]
) -> None:
    first = serve("--workers", "1")
    here = Visitor(browser, first)
    port = str(httpx.URL(first.url).port)
    here.open(puzzle="cube3", solver="dfs", seconds=60)
    first.stop(signal.SIGINT)
    here.page.click("#scramble")
    here.page.wait_for_selector("#lost:not([hidden])")
    assert here.text("#lost-text").startswith("The server does not answer.")
    assert here.is_solved()
    second = serve("--workers", "1", "--port", port)
    here.page.click("#retry")
    here.page.wait_for_selector("#lost", state="hidden")
    here.until("!homeward.model.isSolved(homeward.state)")  # the scramble that was asked for
    here.page.click("#solve")
    here.page.wait_for_selector(".badge >> text=solving")
    second.stop(signal.SIGKILL)
    here.page.wait_for_selector("#lost:not([hidden])")
    assert here.page.evaluate("homeward.mode") == "solving"
    serve("--workers", "1", "--port", port)
    here.state("failed")
    assert here.text(".doing") == "The server has lost this solve: please try again."
    here.page.click("button:text-is('Try again')")
    here.state("solving")
    here.page.wait_for_selector("#lost", state="hidden")
    here.errors[:] = [error for error in here.errors if "404" not in error]
    here.close()


# --- links


def test_a_link_brings_everything_back(browser: Any, visitor: Visitor) -> None:
    visitor.open(puzzle="puzzle8", solver="bfs", seconds=7, optimal=1, against="ida-manhattan")
    visitor.page.click("#scramble")
    visitor.until("!homeward.model.isSolved(homeward.state)")
    link, state = visitor.page.url, visitor.facelets()
    other = Visitor(browser, visitor.server)
    other.page.goto(link)
    other.page.wait_for_selector("body:not([data-state=loading])")
    other.until("!homeward.model.isSolved(homeward.state)")
    assert other.facelets() == state
    assert other.page.locator("#solver").input_value() == "bfs"
    assert other.page.locator("#seconds").input_value() == "7"
    assert other.page.locator("#optimal").is_checked()
    assert other.page.locator("#other").input_value() == "ida-manhattan"
    other.page.reload()
    other.until("globalThis.homeward?.state && !homeward.model.isSolved(homeward.state)")
    assert other.facelets() == state
    other.close()


def test_a_room_travels_in_a_link(visitor: Visitor) -> None:
    room = "########\n#  #   #\n# $ .  #\n#  @$. #\n########"
    visitor.open(puzzle="sokoban", state=room)
    shown = visitor.facelets()
    visitor.page.reload()
    visitor.until("globalThis.homeward?.state?.length > 0")
    assert visitor.facelets() == shown
    assert "%0A" not in visitor.page.url


def test_a_wrong_link_is_told(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3", state="UUU")
    assert visitor.text("#live") == "a 3×3×3 cube has 54 facelets, this text has 3."
    visitor.errors.clear()
    visitor.page.goto(f"{visitor.server.url}/#puzzle=nonsense")
    visitor.until("document.getElementById('live').textContent.includes('nonsense')")
    assert visitor.text("#live") == "there is no puzzle named 'nonsense'."
    visitor.errors.clear()  # Chromium logs the 404


def test_pasted_moves_and_their_slips(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.page.fill("#paste", "[R, U] y")
    visitor.page.click("#paste-solved")
    visitor.until("!homeward.model.isSolved(homeward.state)")
    assert visitor.facelets() == State.solved("cube3").moved("R U R' U'").text
    visitor.page.fill("#paste", "R U Q")
    visitor.page.click("#paste-here")
    visitor.page.wait_for_selector("#paste-problem:not([hidden])")
    assert visitor.text("#paste-problem") == "unknown move 'Q' at character 5"
    assert visitor.page.evaluate("document.getElementById('paste').selectionStart") == 4


def test_any_size_can_be_asked_for(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    for text, name in (("9", "cube9"), ("lightsout4", "lightsout4"), ("6×6", "lightsout6")):
        visitor.page.select_option("#puzzle", label="Another size …")
        visitor.page.fill("#size-text", text)
        visitor.press("Enter")
        visitor.until(f"homeward.info.name === '{name}' && homeward.mode === 'idle'")
    assert visitor.page.locator("#puzzle").input_value() == "lightsout6"


# --- keys alone


def test_everything_works_with_keys_alone(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3", solver="twophase", seconds=25)
    visitor.press("Shift+F", "u", "r")
    visitor.until("homeward.busy === false")
    assert visitor.facelets() == State.solved("cube3").moved("F' U R").text
    visitor.press("Backspace")
    assert visitor.facelets() == State.solved("cube3").moved("F' U").text
    visitor.press("Enter")
    visitor.state("solved")
    assert visitor.page.locator("#moves button").all_inner_texts() == ["U'", "F"]
    visitor.press(".")
    assert visitor.text("#live") == "top, counter-clockwise"
    visitor.press(".")
    assert visitor.text("#live") == "front, clockwise. Solved."
    visitor.press(",", "Home")
    assert visitor.text("#place") == "0 / 2"
    visitor.press("?")
    assert visitor.page.locator("#keys").is_visible()
    visitor.press("Enter")
    assert not visitor.page.locator("#keys").is_visible()
    visitor.press("n")
    visitor.state("idle")
    visitor.press("p")
    visitor.state("editing")
    visitor.press("Escape")
    visitor.state("idle")


def test_stickers_are_focused_and_painted_by_keys(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.press("p")
    assert visitor.page.locator(".sticker").count() == 54
    assert visitor.page.locator(".sticker[tabindex='0']").count() == 1
    for _ in range(20):  # by Tab to the net, then by arrows
        visitor.press("Tab")
        if visitor.page.evaluate("document.activeElement.classList.contains('sticker')"):
            break
    label = "document.activeElement.getAttribute('aria-label')"
    assert visitor.page.evaluate(label) == "top, row 1, column 1: white (U)"
    visitor.press("ArrowDown", "ArrowDown", "ArrowDown")
    assert visitor.page.evaluate(label) == "front, row 1, column 1: green (F)"
    visitor.press("ArrowLeft", "r")
    visitor.state("invalid")
    assert visitor.text("#verdict").splitlines()[0] == (
        "The corner at UFL shows U, F and R, but clockwise they go the other way: "
        "exchange two of its stickers."
    )
    visitor.press("Backspace")  # on a sticker it clears what is painted there
    assert visitor.page.locator("#solve").is_disabled()


# --- screens, colours, motion


def overflow(visitor: Visitor) -> int:
    width: int = visitor.page.evaluate("document.documentElement.scrollWidth")
    return width - visitor.page.viewport_size["width"]


@pytest.mark.parametrize("name", ["cube3", "cube7", "puzzle48", "lightsout7", "sokoban"])
def test_a_phone_is_wide_enough(browser: Any, server: RunningServer, name: str) -> None:
    here = Visitor(browser, server, **PHONE)
    here.open(puzzle=name)
    here.page.click("#scramble")
    assert overflow(here) <= 0
    for control in ("#scramble", "#solve", "#puzzle", "#help"):
        box = here.page.locator(control).bounding_box()
        assert box["height"] >= 40, control
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 360, control
    here.close()


def test_a_phone_paints_solves_and_plays(browser: Any, server: RunningServer) -> None:
    here = Visitor(browser, server, **PHONE)
    here.open(puzzle="cube3", solver="twophase", state=State.solved("cube3").moved("R U2 F").text)
    here.page.tap("#edit")
    assert overflow(here) <= 0
    sticker = here.page.locator(".sticker").nth(4).bounding_box()
    assert min(sticker["width"], sticker["height"]) >= 22
    net, palette = (here.page.locator(f"#stage {s}").bounding_box() for s in (".net", "#palette"))
    assert palette["y"] + palette["height"] <= 740  # both are on the screen at once
    assert net["y"] + net["height"] <= palette["y"]
    here.page.tap("#editor-buttons >> text=Clear")
    face = here.page.locator(".sticker:visible")
    assert face.count() == 9  # one face at a time, in reach of a thumb
    assert min(face.first.bounding_box()[side] for side in ("width", "height")) >= 60
    assert overflow(here) <= 0
    here.press("Backspace")
    here.page.wait_for_selector("#solve:enabled")
    here.page.tap("#solve")
    here.state("solved")
    assert overflow(here) <= 0
    here.page.evaluate("scrollTo(0, 0)")
    play = here.page.locator("#play").bounding_box()
    assert play["y"] + play["height"] <= 740  # the cube and its controls too
    here.page.tap("#last")
    assert here.is_solved()
    here.close()


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        values = [int(v) / 255 for v in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_and_light_can_be_read(browser: Any, server: RunningServer, scheme: str) -> None:
    here = Visitor(browser, server, color_scheme=scheme)
    here.open(puzzle="cube3")
    style = "([s, k]) => getComputedStyle(document.querySelector(s))[k]"
    ground = here.page.evaluate(style, ["body", "backgroundColor"])
    card = here.page.evaluate(style, ["fieldset", "backgroundColor"])
    for selector, behind in (
        ("body", ground),
        ("#hint", ground),
        ("legend", card),
        ("#solver-help", card),
    ):
        colour = here.page.evaluate(style, [selector, "color"])
        assert contrast(colour, behind) >= 4.5, (scheme, selector)
    solve = [here.page.evaluate(style, ["#solve", key]) for key in ("color", "backgroundColor")]
    assert contrast(*solve) >= 4.5
    here.page.click("#theme")
    assert here.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert contrast(here.page.evaluate(style, ["body", "backgroundColor"]), "rgb(0, 0, 0)") < 1.5
    here.close()


def test_letters_stay_on_between_visits(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    assert visitor.page.evaluate("homeward.view.letters") is False
    visitor.press("a")
    visitor.page.reload()
    visitor.until("globalThis.homeward?.view?.letters === true")
    assert visitor.page.locator("#letters").get_attribute("aria-pressed") == "true"


def test_without_reduced_motion_layers_swing(browser: Any, server: RunningServer) -> None:
    here = Visitor(browser, server, reduced_motion="no-preference")
    here.open(puzzle="cube3")
    here.page.evaluate(
        "void homeward.view.animate('R', homeward.model.apply(homeward.state, 'R'), 3000)"
    )
    assert here.page.evaluate("homeward.view.turning.axis") == 0
    here.page.evaluate("homeward.view.finishTurn()")
    assert here.page.evaluate("homeward.model.write(homeward.view.state)") == (
        State.solved("cube3").moved("R").text
    )
    here.close()
