"""What requests and answers look like; the examples are shown in the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_SCRAMBLED = "UUFUUFUUFRRRRRRRRRFFDFFDFFDDDBDDBDDBLLLLLLLLLUBBUBBUBB"

PuzzleName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        pattern=r"^[a-z0-9-]+$",
        description="A puzzle's name: `cube3`, `puzzle15`, `sliding-3x4`, `lightsout5`, `sokoban`.",
        examples=["cube3"],
    ),
]


class SolveRequest(BaseModel):
    """A state to be solved."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"puzzle": "cube3", "state": _SCRAMBLED, "seconds": 5},
                {"puzzle": "puzzle8", "state": "8 6 7 2 5 4 3 0 1", "optimal": True},
            ]
        },
    )

    puzzle: PuzzleName
    state: Annotated[str, Field(min_length=1, max_length=20_000)] = Field(
        description="Facelets, numbers, lamps or a board, as `homeward solve --state` takes them."
    )
    solver: Annotated[str, Field(min_length=1, max_length=40)] = Field(
        default="auto", description="A name that `/api/puzzles/{name}` lists."
    )
    optimal: bool = Field(default=False, description="Admit only solvers that prove.")
    seconds: float = Field(
        default=10.0,
        ge=0.1,
        le=86_400,
        allow_inf_nan=False,
        description="Time budget; the server may grant less.",
    )


class ReadRequest(BaseModel):
    """Text to be read: a state, moves from it, or moves from the goal."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"puzzle": "cube3", "moves": "[R, U] F2"}]},
    )

    puzzle: PuzzleName
    state: Annotated[str, Field(max_length=20_000)] | None = None
    moves: Annotated[str, Field(max_length=20_000)] | None = None


class Problem(BaseModel):
    """One thing wrong: its kind, a sentence for a person, and the piece or place."""

    kind: str
    sentence: str
    where: str = ""
    position: int | None = None


class ReadAnswer(BaseModel):
    """The verdict on a text. With problems, `state` and `moves` are None."""

    puzzle: str
    valid: bool
    solved: bool = False
    state: str | None = None
    moves: list[str] | None = None
    problems: list[Problem] = []


class Refusal(BaseModel):
    """Why a request was refused."""

    error: str
    problems: list[Problem] = []


class Result(BaseModel):
    """The object that `homeward solve --json` prints."""

    puzzle: str
    state: str
    solver: str
    model: str | None
    device: str
    status: Literal["solved", "unsolvable", "out_of_time", "out_of_memory", "cancelled"]
    moves: list[str] | None
    length: int | None
    proof: Literal["optimal", "none"]
    lower_bound: int
    seconds: float
    expanded: int
    generated: int
    evaluated: int
    reopened: int


class Progress(BaseModel):
    """How a solve is going. `bests` are the lengths found, from the first to the best."""

    seconds: float = 0.0
    generated: int = 0
    per_second: float = 0.0
    lower_bound: int = 0
    best: int | None = None
    bests: list[int] = []
    doing: str = ""


class Replay(BaseModel):
    """Notes on a solution: other notation and lengths, and distances home along the way."""

    text: str
    quarter_turns: int | None = None
    half_turns: int | None = None
    estimates: list[float] | None = None
    estimated_by: str | None = None


class Job(BaseModel):
    """A solve: waiting, running, done with a result, or failed with an error."""

    id: str = Field(examples=["9f2c51d07a3b4e18"])
    status: Literal["queued", "running", "done", "failed"]
    ahead: int = Field(description="Jobs that are waiting before this one.")
    progress: Progress
    result: Result | None = None
    replay: Replay | None = None
    error: str | None = None


class Scramble(BaseModel):
    """A scrambled state; `moves` lead to it from the goal, None for Sokoban."""

    puzzle: str
    moves: str | None
    state: str


class Health(BaseModel):
    """That the server answers, and what it is doing."""

    status: Literal["ok"]
    version: str
    workers: int
    busy: int
    queued: int


class PuzzleRow(BaseModel):
    """A puzzle as `homeward list puzzles --json` has it."""

    name: str
    family: str
    cells: int
    symbols: int
    moves: int
    states: Annotated[int, Field(description="How many can be reached.")] | None


class SolverRow(BaseModel):
    """A solver that can do the puzzle; `proves` if every solution is proved shortest."""

    name: str
    help: str
    proves: bool


class PuzzleDetails(PuzzleRow):
    """A puzzle with what a page needs to show and solve it.

    `table` (`[moves][cells]`: where each cell's symbol comes from), `layout` and `symbol_names` are
    for puzzles given by permutations alone.
    """

    move_names: list[str]
    goal: str
    model: str | None
    solvers: list[SolverRow]
    rows: int | None
    columns: int | None
    table: list[list[int]] | None = None
    layout: list[list[list[int]]] | None = None
    symbol_names: list[str] | None = None


def failure(description: str) -> dict[str, Any]:
    """An entry of an operation's `responses`."""
    return {"model": Refusal, "description": description}
