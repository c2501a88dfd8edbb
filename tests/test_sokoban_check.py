"""What is wrong with a level, each thing by its name and place."""

from __future__ import annotations

import numpy as np
import pytest

from homeward.puzzles import PuzzleError, Status
from homeward.puzzles.sokoban import Sokoban
from homeward.puzzles.status import combined
from sokoban_tools import CORRIDOR, small


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (CORRIDOR, []),
        (("#####", "#$.@#", "#####"), []),  # stuck in a corner: legal, though unsolvable
        (("#####", "#$. #", "#####"), [(Status.AGENT, "there is no agent on the board", "")]),
        (
            ("######", "#$+ @#", "######"),
            [
                (
                    Status.AGENT,
                    "there are 2 agents, at row 2, column 3 and row 2, column 5: there must be one",
                    "2,5",
                )
            ],
        ),
        (
            ("######", "#$@* #", "######"),
            [
                (
                    Status.BOXES,
                    "there must be as many boxes as targets: boxes 2, targets 1",
                    "",
                )
            ],
        ),
        (("#####", "# @ #", "#####"), [(Status.BOXES, "there are no boxes on the board", "")]),
        (
            ("#####", "#$@. ", "#####"),
            [
                (
                    Status.OPEN_BOARD,
                    "the board is open at row 2, column 5: walls must go all round",
                    "2,5",
                )
            ],
        ),
        (
            ("# # #", "#$@.#", "#####"),
            [
                (
                    Status.OPEN_BOARD,
                    "the board is open at row 1, column 2 and 1 more: walls must go all round",
                    "1,2",
                )
            ],
        ),
        (
            ("########", "#@ #$.*#", "########"),
            [
                (
                    Status.UNREACHABLE,
                    "walls part the box at row 2, column 5 from the agent",
                    "2,5",
                ),
                (
                    Status.UNREACHABLE,
                    "walls part the target at row 2, column 6 from the agent",
                    "2,6",
                ),
            ],
        ),
        (("########", "#@$.#**#", "########"), []),  # boxes walled in at home do no harm
    ],
)
def test_problems(rows: tuple[str, ...], expected: list[tuple[Status, str, str]]) -> None:
    sokoban, cells = small(*rows)
    found = [(p.status, p.sentence, p.where) for p in sokoban.problems(cells)]
    assert found == expected


def test_all_problems_at_once() -> None:
    sokoban, cells = small("#########", "# @ #$$.#", "# @ ### #", "##  #####", "### #####")
    assert combined(sokoban.problems(cells)) == (
        Status.AGENT | Status.BOXES | Status.OPEN_BOARD | Status.UNREACHABLE
    )
    assert [p.status for p in sokoban.problems(cells[:-1])] == [Status.SHAPE]
    cells[20] = 7
    assert [p.sentence for p in sokoban.problems(cells)] == [
        "cell 20 holds 7, but symbols go from 0 to 6"
    ]


def test_levels_are_refused_just_when_a_board_has_problems() -> None:
    sokoban = Sokoban(5, 6)
    rng = np.random.default_rng(0)
    boards = np.ones((3000, 5, 6), dtype=np.uint8)
    boards[:, 1:-1, 1:-1] = rng.choice(8, size=(3000, 3, 4), p=[0.4, 0.3, *[0.05] * 5, 0.05])
    boards[::50, 0, 2] = 0
    refused = []
    for one in boards.reshape(-1, 30):
        try:
            sokoban.with_levels(one[None])
        except PuzzleError:
            refused.append(True)
        else:
            refused.append(False)
    assert refused == [bool(sokoban.problems(one)) for one in boards.reshape(-1, 30)]
    assert 0 < sum(refused) < len(refused)
