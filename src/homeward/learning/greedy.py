"""How well a net plays without search: the share of scrambles that greedy play solves."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from homeward.puzzles.base import Puzzle


@torch.no_grad()
def solved_by_depth(
    puzzle: Puzzle,
    children: Callable[[Tensor], Tensor],
    depths: list[int],
    n: int,
    rng: torch.Generator,
) -> dict[int, float]:
    """For each depth, the share of `n` scrambled states solved by always taking the best child.

    Play stops after the scramble's own length and ten moves more. `children` answers states
    `[B, cells]` with `[B, moves]`, +inf where a move is illegal.
    """
    walks = puzzle.walks(n, max(depths), rng).states
    left = torch.tensor(depths, device=rng.device).repeat_interleave(n) + 10
    done = _played(puzzle, children, walks[depths].flatten(0, 1), left)
    shares = done.view(len(depths), n).double().mean(1).tolist()
    return dict(zip(depths, shares, strict=True))


def _played(
    puzzle: Puzzle, children: Callable[[Tensor], Tensor], states: Tensor, left: Tensor
) -> Tensor:
    """`[B]`: which states are solved by so many greedy moves."""
    done: Tensor = puzzle.is_solved(states)
    rows = (~done).nonzero()[:, 0]
    states, left = states[rows], left[rows]
    last: Tensor | None = None
    while len(rows):
        scores = children(states)
        if last is not None and puzzle.reversible:
            # Going straight back would only bring up the same choice again.
            scores.scatter_(1, puzzle.undo(last)[:, None], torch.inf)
        last = scores.argmin(1)
        states, left = puzzle.step(states, last), left - 1
        solved = puzzle.is_solved(states)
        done[rows[solved]] = True
        going = ~solved & (left > 0)
        rows, states, left, last = rows[going], states[going], left[going], last[going]
    return done
