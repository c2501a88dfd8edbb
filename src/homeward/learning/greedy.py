"""How well a net plays without search: the share of scrambles that greedy play solves."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.puzzles.base import Puzzle


@torch.no_grad()
def solved_by_depth(
    puzzle: Puzzle, net: nn.Module, depths: list[int], n: int, rng: torch.Generator
) -> dict[int, float]:
    """For each depth, the share of `n` scrambled states solved by always taking the best child.

    Play stops after the scramble's own length and ten moves more. The net answers `[B, moves]`.
    """
    walks = puzzle.walks(n, max(depths), rng).states
    return {d: _play(puzzle, net, walks[d], d + 10) for d in depths}


def _play(puzzle: Puzzle, net: nn.Module, states: Tensor, moves: int) -> float:
    done = puzzle.is_solved(states)
    last: Tensor | None = None
    for _ in range(moves):
        scores = net(states).float()
        if not puzzle.always_legal:
            scores = scores.masked_fill(~puzzle.legal(states), torch.inf)
        if last is not None and puzzle.reversible:
            # Going straight back would only bring up the same choice again.
            scores.scatter_(1, puzzle.undo(last)[:, None], torch.inf)
        last = scores.argmin(1)
        states = torch.where(done[:, None], states, puzzle.step(states, last))
        done = done | puzzle.is_solved(states)
    return float(done.float().mean())
