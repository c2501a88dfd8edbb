"""Every solver by its name. A new one is one entry here; nothing is imported before it is used."""

from __future__ import annotations

from typing import Any

from homeward.solvers import estimates, fitness
from homeward.solvers.entry import Solver


def _best_first(name: str, help: str, **presets: Any) -> Solver:
    """A setting of best-first search that asks a net, or a table where there is no model."""
    return Solver(
        name,
        help,
        "homeward.search.bestfirst:BestFirst",
        "distances",
        chooses=True,
        why_not=fitness.why_no_estimate,
        learned=True,
        presets=presets,
    )


SOLVERS = {
    solver.name: solver
    for solver in (
        Solver(
            "bfs",
            "breadth-first from the start: shortest; proves a state unsolvable",
            "homeward.search.blind:BreadthFirst",
            proves=True,
        ),
        Solver(
            "dfs",
            "depth-first with a growing limit: shortest, in hardly any memory",
            "homeward.search.blind:DepthFirst",
        ),
        Solver(
            "bidirectional",
            "breadth-first from both ends: shortest, with far fewer states than bfs",
            "homeward.search.blind:Bidirectional",
            proves=True,
        ),
        Solver(
            "table",
            "walks down the distances of the whole graph, which are worked out once and kept",
            "homeward.search.table:TableDescent",
            "distances",
            proves=True,
            why_not=fitness.why_no_table,
        ),
        Solver(
            "beam",
            "beam search with a learned net, from several views, ever wider: short, and soon",
            "homeward.search.beam:Beam",
            chooses=True,
            learned=True,
            why_not=fitness.why_no_net,
        ),
        Solver(
            "astar",
            "A* with an estimate that is never too large: shortest",
            "homeward.search.bestfirst:BestFirst",
            estimates.BOUND,
            chooses=True,
            proves=True,
            why_not=estimates.estimate(estimates.BOUND).why_not,
        ),
        Solver(
            "optimal",
            "a short solution first, then a shorter one or the proof that there is none",
            "homeward.solvers.optimal:Optimal",
            estimates.PROOF,
            chooses=True,
            proves=True,
            why_not=estimates.estimate(estimates.PROOF).why_not,
        ),
        Solver(
            "twophase",
            "the cube in two phases, by Kociemba: good at once, better with time",
            "homeward.search.twophase:TwoPhase",
            why_not=fitness.why_no_cube,
        ),
        Solver(
            "ida-korf",
            "IDA* with Korf's pattern databases of the cube: shortest, with little to make or keep",
            "homeward.search.idastar:IDAStar",
            "korf",
            chooses=True,
            proves=True,
            why_not=fitness.why_no_cube,
        ),
        Solver(
            "ida-eight",
            "the same with the eight databases of the heuristic-learning paper",
            "homeward.search.idastar:IDAStar",
            "eight",
            chooses=True,
            proves=True,
            why_not=fitness.why_no_cube,
        ),
        Solver(
            "ida-hnn",
            "IDA* with that paper's learned heuristic: not always shortest, not proved",
            "homeward.search.idastar:IDAStar",
            "hnn",
            chooses=True,
            why_not=fitness.why_no_features,
        ),
        Solver(
            "ida-hnn+",
            "the same, with a heuristic that is at least the eight databases",
            "homeward.search.idastar:IDAStar",
            "hnn+",
            chooses=True,
            why_not=fitness.why_no_features,
        ),
        Solver(
            "ida",
            "IDA* with additive pattern databases, for sliding boards: shortest",
            "homeward.search.idastar:IDAStar",
            "databases",
            chooses=True,
            proves=True,
            why_not=fitness.why_no_databases,
        ),
        Solver(
            "ida-light",
            "the same with small databases, which are made in seconds",
            "homeward.search.idastar:IDAStar",
            "databases-light",
            chooses=True,
            proves=True,
            why_not=fitness.why_no_databases,
        ),
        Solver(
            "ida-manhattan",
            "the same with Manhattan distances: nothing to make or keep",
            "homeward.search.idastar:IDAStar",
            "manhattan",
            chooses=True,
            proves=True,
            why_not=fitness.why_no_board,
        ),
        Solver(
            "rows",
            "sliding boards row by row, then column by column: at once, of any size, and long",
            "homeward.search.rows:RowByRow",
            why_not=fitness.why_no_board,
        ),
        Solver(
            "lights",
            "Lights Out of any size by elimination: at once, and the shortest of all solutions",
            "homeward.search.lights:Elimination",
            proves=True,
            why_not=fitness.why_no_lights,
        ),
        Solver(
            "sokoban",
            "A* by pushes with a matching of boxes and targets: shortest; proves levels unsolvable",
            "homeward.search.sokoban.astar:PushAStar",
            proves=True,
            why_not=fitness.why_no_sokoban,
        ),
        _best_first("wastar", "weighted A*, one state at a time", weight=0.6),
        _best_first("bwas", "batch weighted A*, as in DeepCubeA", weight=0.6, batch=1000),
        _best_first(
            "qstar", "Q*: bwas for a net that scores all children at once", weight=0.6, batch=1000
        ),
        _best_first("greedy", "greedy best-first: soon, not short", weight=0.0, reopen=False),
        Solver(
            "mcts",
            "Monte Carlo tree search, as in DeepCube",
            "homeward.search.mcts:MCTS",
            "distances",
            chooses=True,
            why_not=fitness.why_no_estimate,
            learned=True,
        ),
    )
}
