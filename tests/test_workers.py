"""Threads that share a job: everything done once, errors heard, and a stop that is obeyed."""

from __future__ import annotations

import threading
import time

import pytest

from homeward.workers import Crew, cores


def test_every_part_is_done_once_by_all_threads() -> None:
    done: list[int] = []
    hands: set[int] = set()
    together = threading.Barrier(3)

    def work(part: int, hand: int) -> None:
        if part < 3:
            together.wait(10)  # each of three threads has taken one
        done.append(part)
        hands.add(hand)

    Crew(3).run(range(200), work, lambda: None)
    assert sorted(done) == list(range(200))
    assert hands == {0, 1, 2}


def test_as_many_threads_as_cores() -> None:
    assert Crew().threads == cores() >= 1


def test_an_error_in_a_part_is_raised_and_stops_the_rest() -> None:
    done: list[int] = []

    def work(part: int, hand: int) -> None:
        if part == 5:
            raise KeyError("five")
        done.append(part)

    with pytest.raises(KeyError, match="five"):
        Crew(1).run(range(100), work, lambda: None)
    assert done == [0, 1, 2, 3, 4]


def test_a_check_that_raises_stops_everything_soon() -> None:
    crew = Crew(2)

    def work(part: int, hand: int) -> None:
        while not crew.stop[0]:
            time.sleep(0.001)

    def check() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        crew.run(range(10), work, check)
    assert threading.active_count() < 10


def test_a_part_can_end_the_job() -> None:
    crew = Crew(1)
    done: list[int] = []

    def work(part: int, hand: int) -> None:
        done.append(part)
        if part == 7:
            crew.stop[0] = 1

    crew.run(range(100), work, lambda: None)
    assert done == list(range(8))
    crew.run([1], work, lambda: None)  # and can be followed by another
    assert done[-1] == 1
