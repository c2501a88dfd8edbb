"""Many machines by Ray: instances stream out, rows stream in, what is lost is done again.

A crew is a set of Ray actors. Each holds one solver with its heuristic and has a short queue of
jobs, so that it never waits. A worker that dies takes only the jobs of its queue with it; they are
handed out again and another worker takes its place. A row is yielded once for each job.

The machines of a cluster need homeward itself, and the model's file where a path names it. A
cluster that asks for a token gets the one that Ray's RAY_AUTH_TOKEN_PATH names, here as there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from types import TracebackType
from typing import Any, Self

from numpy.typing import NDArray

from homeward.bench.machine import peak_memory_bytes
from homeward.bench.summary import Row
from homeward.bench.task import Hand, Job, Task
from homeward.puzzles.status import PuzzleError

LOCAL = "local"
_QUEUE = 2
"""Jobs that a worker has at a time: one in hand and one waiting."""
_PATIENCE = 120
"""Seconds until at least one worker must have begun."""
_MOST_LOSSES = 3
"""How many workers one job may take with it before it is held to be the cause."""


class Worker:
    """What runs in another process, perhaps on another machine."""

    def __init__(self, task: Task, states: int) -> None:
        self._hand = Hand(task, states)
        self._loaded = False

    def pid(self) -> int:
        """The number of its process."""
        import os

        return os.getpid()

    def solve(self, job: Job) -> tuple[Row, int, float]:
        """The row of a job, the most memory held so far, and the seconds that loading took."""
        if not self._loaded:
            self._hand.load(job)
            self._loaded = True
        return self._hand.row(job), peak_memory_bytes(), self._hand.load_seconds


@dataclass
class Crew:
    """Workers of a cluster that have one task."""

    make: Any
    """Starts a worker and returns its Ray actor."""
    size: int
    lost: int = 0
    """Workers that died."""
    most_workers: int = 0
    """How many worked at once; a cluster may not have room for all."""
    load_seconds: float = 0.0
    peak_memory_bytes: int = 0
    _workers: list[Any] = field(default_factory=list)
    """Those that have begun; others wait until the cluster has room for them, perhaps for ever."""
    _starting: dict[Any, Any] = field(default_factory=dict)
    """Workers by the references that are there when they have begun."""
    _failures: int = 0
    """Workers that died before they had begun."""
    _under_way: dict[Any, tuple[Any, Job]] = field(default_factory=dict)

    def pids(self) -> list[int]:
        """The processes of the workers."""
        import ray

        found: list[int] = ray.get([worker.pid.remote() for worker in self._workers])
        return found

    def solve(self, jobs: Iterable[Job]) -> Iterator[Row]:
        """The row of every job, in the order in which they are done.

        `jobs` may be endless: no more are taken than the workers can hold.
        """
        import ray

        coming, again = iter(jobs), deque[Job]()
        first = next(coming, None)
        if first is None:
            return  # nobody need be waited for
        coming = chain([first], coming)
        losses: dict[int, int] = {}
        self._workers, self._starting, self._under_way = [], {}, {}
        for _ in range(self.size):
            self._start()
        while True:
            self._hand_out(coming, again)
            if self._workers and not self._under_way:
                return
            patience = None if self._workers else _PATIENCE
            refs = [*self._under_way, *self._starting]
            done, _ = ray.wait(refs, num_returns=1, timeout=patience)
            if not done:
                raise PuzzleError(f"no worker could begin in {_PATIENCE} s: the cluster is full")
            if done[0] in self._starting:
                self._begin(done[0])
                continue
            worker, job = self._under_way.pop(done[0])
            try:
                row, peak, loading = ray.get(done[0])
            except _deaths():
                _count_loss(losses, job)
                again.append(job)
                again.extend(self._replace(worker))
                continue
            self.peak_memory_bytes = max(self.peak_memory_bytes, peak)
            self.load_seconds = max(self.load_seconds, loading)
            yield row

    def _start(self) -> None:
        worker = self.make()
        self._starting[worker.pid.remote()] = worker

    def _begin(self, ref: Any) -> None:
        """Takes a worker that has begun into the crew; if several cannot, there is a reason."""
        import ray

        worker = self._starting.pop(ref)
        try:
            ray.get(ref)
        except _deaths() as error:
            self._failures += 1
            if self._failures >= _MOST_LOSSES:
                last = str(error).strip().splitlines()[-1].strip()
                raise PuzzleError(f"workers cannot begin: {last}") from None
            self._start()
        else:
            self._failures = 0
            self._workers.append(worker)
            self.most_workers = max(self.most_workers, len(self._workers))

    def _hand_out(self, coming: Iterator[Job], again: deque[Job]) -> None:
        """Gives jobs to workers with room in their queues, the lost ones first."""
        queues = {id(worker): 0 for worker in self._workers}
        for worker, _ in self._under_way.values():
            queues[id(worker)] += 1
        for length in range(_QUEUE):  # everybody gets a first one before anybody gets a second
            for worker in self._workers:
                if queues[id(worker)] > length:
                    continue
                job = again.popleft() if again else next(coming, None)
                if job is None:
                    return
                self._under_way[worker.solve.remote(job)] = (worker, job)
                queues[id(worker)] += 1

    def _replace(self, worker: Any) -> list[Job]:
        """Puts a new worker in a dead one's place; the jobs that it still had."""
        if worker not in self._workers:
            return []
        self.lost += 1
        self._workers.remove(worker)
        self._start()
        refs = [ref for ref, (owner, _) in self._under_way.items() if owner is worker]
        return [self._under_way.pop(ref)[1] for ref in refs]

    def stop(self) -> None:
        """Ends the workers."""
        import ray

        for worker in [*self._workers, *self._starting.values()]:
            ray.kill(worker)
        self._workers, self._starting = [], {}


def _deaths() -> tuple[type[Exception], ...]:
    """What Ray raises for an actor that is gone, by itself or by the machine's want of memory."""
    from ray import exceptions

    return exceptions.RayActorError, exceptions.OutOfMemoryError, exceptions.NodeDiedError


def _count_loss(losses: dict[int, int], job: Job) -> None:
    losses[job.index] = losses.get(job.index, 0) + 1
    if losses[job.index] >= _MOST_LOSSES:
        raise PuzzleError(
            f"instance {job.index} was lost with {_MOST_LOSSES} workers; "
            "it may need more memory than they have"
        )


class Cluster:
    """A connection to a Ray cluster, or with `local` one that is made on this machine.

    `workers` is how many there are, 0 for as many as the cluster has room for; each has `cores`.
    """

    def __init__(self, address: str = LOCAL, workers: int = 0, cores: int = 1) -> None:
        try:
            import ray
        except ImportError:
            message = "a cluster needs ray: pip install 'homeward[cluster]'"
            raise PuzzleError(message) from None
        self.workers, self.cores = workers, cores
        wanted: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address == LOCAL:
            # Ray counts this machine's cores; more workers than cores are allowed to share them.
            wanted |= {"address": "local", "include_dashboard": False}
            if workers:
                wanted["num_cpus"] = workers * cores
        else:
            wanted["address"] = address
        try:
            ray.init(**wanted)
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            first = str(error).strip().splitlines()[0]
            raise PuzzleError(f"cannot join the cluster {address}: {first}") from None

    @contextmanager
    def crew(self, task: Task, states: int) -> Iterator[Crew]:
        """Workers for a task of so many states; they end with the block."""
        import ray

        gpus = 1 if task.prepared(states).device == "cuda" else 0
        task = task.on(self.cores)
        room: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        size = self.workers or int(room.get("CPU", 1) // self.cores)
        if gpus:
            size = min(size, int(room.get("GPU", 0)))
        if not size:
            raise PuzzleError(f"the cluster has no room for a worker with {self.cores} cores")
        threads = str(self.cores)
        surroundings = {"env_vars": {"NUMBA_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}}
        actor = ray.remote(num_cpus=self.cores, num_gpus=gpus, runtime_env=surroundings)(Worker)
        crew = Crew(lambda: actor.remote(task, states), size)
        try:
            yield crew
        finally:
            crew.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        import ray

        ray.shutdown()


def solve_many(
    task: Task, states: Iterable[NDArray[Any]], cluster: Cluster, count: int = 1000
) -> Iterator[Row]:
    """Solves any number of states `[cells]` on a cluster; rows come as they are done.

    A row's `index` is the place of its state among `states`, which are taken only as workers become
    free. `count` is about how many there are: `auto` chooses by that.
    """
    with cluster.crew(task, count) as crew:
        yield from crew.solve(Job(index, state) for index, state in enumerate(states))
