"""The page in Chromium: puzzles that are turned, painted, solved and played back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeward.notation import State
from homeward.puzzles import puzzle
from page_tools import Visitor
from web_tools import RunningServer

ROOM = "########\n#  #   #\n# $ .  #\n#  @$. #\n########"


# --- from a scramble to the end of its replay


@pytest.mark.parametrize(
    "name", ["cube3", "cube2", "puzzle8", "puzzle15", "lightsout5", "pyraminx"]
)
def test_scramble_solve_replay(visitor: Visitor, name: str) -> None:
    # A search that goes on improving would take all its time.
    visitor.open(puzzle=name, seconds=25, solver="twophase" if name == "cube3" else "auto")
    assert visitor.is_solved()
    visitor.page.click("#scramble")
    visitor.until("!homeward.model.isSolved(homeward.state)")
    start = visitor.facelets()
    visitor.solve()
    assert visitor.facelets() == start
    steps = visitor.page.locator("#moves li").count()
    assert visitor.page.locator("#scrub").get_attribute("max") == str(steps)
    visitor.press("End")
    assert visitor.is_solved()
    length = visitor.text("#length").split()[0]  # a half turn is one step and two moves
    assert visitor.page.locator("#place").text_content() == f"{length} / {length}"
    assert visitor.page.locator("#moves [aria-current]").inner_text() == (
        visitor.page.locator("#moves button").last.inner_text()
    )
    visitor.press("Home")
    assert visitor.facelets() == start


def test_a_room_is_solved_and_replayed(visitor: Visitor) -> None:
    visitor.open(puzzle="sokoban", state=ROOM)
    visitor.solve()
    assert visitor.text("#length") == "7 moves, shortest"
    visitor.press("End")
    assert visitor.is_solved()
    before = visitor.facelets()
    visitor.page.click("#scramble")  # another room
    visitor.state("idle")
    assert visitor.facelets() != before
    assert visitor.facelets().count("$") == 4


def test_a_level_is_pasted_and_walked(visitor: Visitor) -> None:
    visitor.open(puzzle="sokoban", state=ROOM)
    visitor.page.fill("#paste", "Level 1\n\n#####\n#@$.#\n#####\n")
    visitor.page.click("#paste-solved")
    visitor.until("homeward.state.filter((c) => c === 3).length === 1")
    visitor.page.locator("svg.sokoban").focus()
    visitor.press("ArrowLeft", "ArrowRight")
    assert visitor.is_solved()
    assert visitor.text("#live") == "push right. Solved." or visitor.text("#live") == "Solved"


def test_playing_goes_through_every_move(browser: Any, server: RunningServer) -> None:
    here = Visitor(browser, server, reduced_motion="no-preference")
    here.open(puzzle="cube3", state=State.solved("cube3").moved("R U2 F'").text)
    here.solve()
    assert here.page.locator("#moves button").all_inner_texts() == ["F", "U2", "R'"]
    assert here.text("#length") == "4 moves, shortest"
    here.press("End")
    assert here.text("#place") == "4 / 4"
    here.page.locator("#moves button").nth(1).click()
    assert here.text("#place") == "3 / 4"
    here.page.select_option("#speed", "4")
    here.page.click("#play")
    assert here.page.locator("#play").get_attribute("aria-label") == "Pause"
    here.page.wait_for_selector("#play[aria-label=Play]")
    assert here.is_solved()
    assert here.page.evaluate("homeward.view.turning") is None
    here.close()


def test_the_shortest_is_claimed_only_when_proved(visitor: Visitor) -> None:
    hard = "BUDBULRDDRFFFRDBFLFBBBFRDRLBDURDDRFFRLULLUFBLLRULBUUUD"
    visitor.open(puzzle="cube3", state=hard, solver="twophase")
    visitor.solve()
    assert visitor.text("#length").endswith(" moves")
    assert visitor.text(".badge") == "solved"
    visitor.open(puzzle="cube3", state=State.solved("cube3").moved("R U").text)
    visitor.solve()
    assert visitor.text("#length") == "2 moves, shortest"
    assert visitor.text(".badge") == "shortest, proved"
    notes = "2 quarter turns · 2 where half turns count one · proved: nothing shorter exists"
    assert visitor.text("#length-notes") == notes


def test_two_solvers_side_by_side(visitor: Visitor) -> None:
    board = "1 3 7 4 5 0 2 8 9 6 14 12 13 10 15 11"  # 16 moves, and 30 row by row
    visitor.open(puzzle="puzzle15", state=board, solver="rows", against="ida-manhattan")
    visitor.solve()
    assert visitor.page.locator(".lane").count() == 2
    assert visitor.page.locator(".lane.shown strong").inner_text() == "ida-manhattan"
    visitor.page.locator(".lane").first.locator("text=Play this one").focus()
    visitor.press("Enter")
    assert visitor.page.locator(".lane.shown strong").inner_text() == "rows"
    visitor.press("End")
    assert visitor.is_solved()


# --- turning


WALK = """async ([name, moves]) => {
    const { FAMILIES } = await import("/families.js");
    const info = await (await fetch(`/api/puzzles/${name}`)).json();
    const model = new FAMILIES[info.family].Model(info);
    let state = model.goal;
    return moves.map((move) => model.write((state = model.apply(state, move) ?? state)));
}"""


def test_moves_do_what_they_do_in_python(visitor: Visitor) -> None:
    rng = np.random.default_rng(0)
    names = [f"cube{size}" for size in range(2, 8)]
    names += ["cube3-htm", "puzzle8", "sliding-3x4", "coiled15", "lightsout3", "pancake"]
    visitor.open()
    for name in names:
        made = puzzle(name)
        moves = [*range(made.moves), *rng.integers(made.moves, size=20).tolist()]
        shown = visitor.page.evaluate(WALK, [name, [made.move_names[move] for move in moves]])
        state = made.goal
        for move, text in zip(moves, shown, strict=True):
            state = made.step(state[None], move)[0]
            assert text == State(made, state).text, (name, made.move_names[move])


@pytest.mark.parametrize("size", [2, 3, 5, 7])
def test_a_layer_is_dragged(visitor: Visitor, size: int) -> None:
    visitor.open(puzzle=f"cube{size}")
    box = visitor.page.locator("canvas.cube").bounding_box()
    find = """async ([size, cell]) => {
        const { geometry } = await import("/cube-model.js");
        return homeward.view.outline(geometry(size).stickers[cell], [[0, 0], [0, 0.4]], 0, 0);
    }"""
    cell = 3 * size * size - 1  # the front's lower right sticker
    (x, y), (to_x, to_y) = visitor.page.evaluate(find, [size, cell])
    visitor.page.mouse.move(box["x"] + x, box["y"] + y)
    visitor.page.mouse.down()
    visitor.page.mouse.move(box["x"] + to_x, box["y"] + to_y, steps=8)
    visitor.page.mouse.move(box["x"] + 2 * to_x - x, box["y"] + 2 * to_y - y, steps=8)
    visitor.page.mouse.up()
    expected = State.solved("cube2-free" if size == 2 else f"cube{size}").moved("R'")
    assert visitor.facelets() == expected.text
    visitor.press("Backspace")
    assert visitor.is_solved()


def test_a_finger_turns_a_layer(browser: Any, server: RunningServer) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    here = Visitor(browser, server, **phone)
    here.open(puzzle="cube3")
    box = here.page.locator("canvas.cube").bounding_box()
    touch = here.context.new_cdp_session(here.page)
    x, y = box["x"] + box["width"] * 0.46, box["y"] + box["height"] * 0.5  # on the front
    for kind, dx in [("touchStart", 0), *[("touchMove", d) for d in range(10, 90, 10)]]:
        points = [{"x": x + dx, "y": y + dx * 0.2}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    turned = here.facelets()
    assert turned != State.solved("cube3").text
    assert sorted(turned) == sorted(State.solved("cube3").text)
    here.close()


def test_boards_are_touched(visitor: Visitor) -> None:
    visitor.open(puzzle="puzzle15")
    visitor.page.locator(".tile[data-tile='13']").click()  # pushes the whole row
    visitor.until("homeward.state[12] === 0")
    assert visitor.facelets() == "1 2 3 4 5 6 7 8 9 10 11 12 0 13 14 15"
    visitor.press("ArrowDown")
    assert visitor.facelets() == "1 2 3 4 5 6 7 8 0 10 11 12 9 13 14 15"
    visitor.open(puzzle="lightsout3")
    visitor.page.locator(".lamp").nth(4).click()
    assert visitor.facelets() == "010 111 010"
    assert visitor.page.locator(".lamp").nth(1).get_attribute("aria-label") == (
        "row 1, column 2: lit"
    )


# --- painting


def paint(visitor: Visitor, *stickers: tuple[int, str]) -> None:
    for cell, letter in stickers:
        visitor.page.locator(".swatch").nth("URFDLB".index(letter)).click()
        visitor.page.locator(".sticker").nth(cell).click()


def test_an_impossible_cube_is_told_its_piece(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.page.click("#edit")
    visitor.state("editing")
    assert visitor.text("#verdict") == "This is the solved state."
    paint(visitor, (8, "F"), (9, "U"), (20, "R"))
    visitor.page.wait_for_selector("#verdict[data-kind=bad] >> text=twisted")
    assert visitor.text("#verdict") == (
        "The corner at URF is twisted clockwise: take it out and turn it counter-clockwise."
    )
    assert visitor.page.locator(".sticker.marked").count() == 3
    assert visitor.page.locator("#solve").is_disabled()
    assert visitor.page.evaluate("document.body.dataset.state") == "invalid"


def test_counts_and_pieces_are_watched_while_painting(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.page.click("#edit")
    visitor.page.click("#editor-buttons >> text=Clear")
    assert visitor.text("#verdict") == "48 stickers still to paint."
    paint(visitor, (7, "U"), (19, "D"))
    assert visitor.text("#verdict") == (
        "The edge at UF shows white and yellow, but white and yellow share no piece."
    )
    label = visitor.page.locator(".swatch").first.get_attribute("aria-label")
    assert label == "white (U), 2 of 9"
    paint(visitor, (19, "F"))
    assert visitor.text("#verdict") == "46 stickers still to paint."
    assert visitor.page.locator("#solve").is_disabled()


def test_stickers_are_painted_on_the_cube_itself(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.page.click("#edit")
    visitor.page.locator(".swatch").nth(3).click()
    find = """async () => {
        const { geometry } = await import("/cube-model.js");
        return homeward.view.outline(geometry(3).stickers[18], [[0, 0]], 0, 0)[0];
    }"""
    x, y = visitor.page.evaluate(find)
    visitor.page.locator("canvas.cube").click(position={"x": x, "y": y})
    assert visitor.facelets()[18] == "D"  # the front's upper left sticker
    visitor.press("Backspace")
    assert visitor.is_solved()


def test_faces_are_painted_one_by_one(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.page.click("#edit")
    visitor.page.click("#editor-buttons >> text=Clear")
    visitor.page.click("[aria-label='white face']")
    assert visitor.text("#hint").startswith("The white face, with blue above it.")
    assert visitor.page.locator(".sticker:visible").count() == 9
    for cell in (0, 1, 2, 3, 5, 6, 7, 8):
        visitor.page.locator(".sticker").nth(cell).click()
    assert visitor.text("#hint").startswith("The green face, with white above it.")  # the next
    visitor.page.click("[aria-label='all faces']")
    assert visitor.page.locator(".sticker:visible").count() == 54
    assert visitor.text("#verdict") == "40 stickers still to paint."


def test_a_painted_cube_is_solved(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.page.click("#edit")
    visitor.page.click("#editor-buttons >> text=Clear")
    wanted = State.solved("cube3").moved("F R'").text
    visitor.page.locator(".sticker").first.focus()
    visitor.page.keyboard.type(wanted.lower())  # each letter paints, and goes on
    visitor.page.wait_for_selector("#verdict[data-kind=good]")
    assert visitor.text("#verdict") == "This can be solved."
    visitor.solve()
    assert visitor.page.locator("#moves button").all_inner_texts() == ["R", "F'"]


def test_boards_are_arranged(visitor: Visitor) -> None:
    visitor.open(puzzle="puzzle8")
    visitor.page.click("#edit")
    visitor.page.locator(".tile[data-tile='7']").click()
    visitor.page.locator(".tile[data-tile='8']").click()
    visitor.state("invalid")
    assert visitor.text("#verdict").startswith("Only an even number of exchanged tiles")
    visitor.page.locator(".tile[data-tile='1']").click()
    visitor.page.locator(".tile[data-tile='2']").click()
    visitor.state("editing")
    assert visitor.text("#verdict") == "This can be solved."
    visitor.open(puzzle="lightsout5")
    visitor.page.click("#edit")
    visitor.page.locator(".lamp").nth(1).click()
    visitor.state("invalid")
    assert visitor.text("#verdict").startswith("No set of presses darkens this board")


# --- what must not be lost, and what must not come back


def test_the_skip_link_keeps_the_state(visitor: Visitor) -> None:
    visitor.open(puzzle="puzzle8", state="1 2 3 4 5 6 0 7 8")
    visitor.page.focus(".skip")
    visitor.press("Enter")
    assert visitor.page.evaluate("document.activeElement.id") == "solve"
    assert visitor.facelets() == "1 2 3 4 5 6 0 7 8"


def test_undo_does_not_go_back_to_another_puzzle(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    visitor.press("r")
    visitor.until("!homeward.busy")
    visitor.page.evaluate("homeward.open({ puzzle: 'sokoban' })")
    visitor.state("idle")
    room = visitor.facelets()
    assert visitor.page.is_disabled("#undo")
    visitor.press("Backspace")
    assert visitor.facelets() == room


def test_the_puzzle_that_was_chosen_last_is_shown(visitor: Visitor) -> None:
    visitor.open(puzzle="cube3")
    late = []
    visitor.page.route("**/api/puzzles/cube4", lambda route: late.append(route))
    visitor.page.evaluate("void homeward.open({ puzzle: 'cube4' })")
    visitor.page.wait_for_timeout(100)
    visitor.page.evaluate("homeward.open({ puzzle: 'puzzle8' })")
    late[0].continue_()
    visitor.page.wait_for_timeout(300)
    assert visitor.page.evaluate("homeward.info.name") == "puzzle8"
    assert visitor.page.locator("body").get_attribute("data-state") == "idle"


def test_a_scramble_on_its_way_is_what_is_solved(visitor: Visitor) -> None:
    visitor.open(puzzle="cube2", seconds=20)
    late = []
    visitor.page.route("**/api/scramble*", lambda route: late.append(route))
    visitor.page.click("#scramble")
    visitor.page.click("#solve")
    visitor.press("Enter")  # once more, which stops nothing and starts nothing
    visitor.page.wait_for_timeout(300)
    assert visitor.page.locator("body").get_attribute("data-state") == "idle"
    late[0].continue_()
    visitor.state("solved")
    solved = visitor.page.evaluate("homeward.lanes.solved")
    assert solved != visitor.page.evaluate("homeward.model.write(homeward.model.goal)")
    assert visitor.page.evaluate("homeward.lanes.all.length") == 1


def test_moves_that_wait_do_not_stop_a_solve(visitor: Visitor) -> None:
    visitor.open(puzzle="cube2", seconds=20)
    visitor.page.evaluate(
        "homeward.queue = ['R', 'U', 'R', 'U', 'R', 'U', 'F', 'R']; void homeward.wish('F');"
        "void homeward.solveOrStop()"
    )
    visitor.state("solved")


def test_pasted_symbols_are_a_state(visitor: Visitor) -> None:
    visitor.open(puzzle="pancake")
    visitor.page.fill("#paste", "3 2 1 4 5 6 7 8 9 10")
    visitor.page.click("#paste-solved")
    visitor.until("!homeward.model.isSolved(homeward.state)")
    assert visitor.facelets() == "3 2 1 4 5 6 7 8 9 10"


def test_a_layer_held_during_a_replay_stays_a_layer(browser: Any, server: RunningServer) -> None:
    moving = Visitor(browser, server, reduced_motion="no-preference")
    try:
        moving.open(puzzle="cube3", solver="twophase")
        moving.page.click("#scramble")
        moving.until("!homeward.model.isSolved(homeward.state)")
        moving.solve()
        moving.page.click("#play")
        box = moving.page.locator("#view canvas").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        moving.page.mouse.move(x, y)
        moving.page.mouse.down()
        for step in range(1, 12):
            moving.page.mouse.move(x + 6 * step, y)
            moving.page.wait_for_timeout(60)
        assert not moving.page.evaluate("homeward.replay.playing")
        moving.page.mouse.up()
        moving.until("homeward.view.turning === null")
        assert moving.page.evaluate("String(homeward.view.state) === String(homeward.state)")
    finally:
        moving.close()
