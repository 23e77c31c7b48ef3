"""Work in the background: turns with the interpreter, and what is left of it afterwards."""

from __future__ import annotations

import os
import sys
import threading

from adaptive.runtime.background import BackgroundThread, ShortTurns


def test_turns_are_short_while_something_is_done_and_usual_again_afterwards() -> None:
    usual = sys.getswitchinterval()
    turns = ShortTurns()
    with turns:
        assert sys.getswitchinterval() < usual
        with turns:  # another thread's work
            pass
        assert sys.getswitchinterval() < usual
    assert sys.getswitchinterval() == usual


def test_background_work_takes_short_turns() -> None:
    seen: list[float] = []
    done = threading.Event()
    thread = BackgroundThread("test")

    def work() -> None:
        seen.append(sys.getswitchinterval())
        done.set()

    usual = sys.getswitchinterval()
    thread.add(work)
    assert done.wait(60)
    thread.end()
    assert seen[0] < usual
    assert sys.getswitchinterval() == usual


def test_work_that_fails_leaves_the_turns_as_they_were() -> None:
    usual = sys.getswitchinterval()
    thread = BackgroundThread("test")

    def work() -> None:
        raise ValueError("on purpose")

    thread.add(work)
    done = threading.Event()
    thread.add(done.set)
    assert done.wait(60)
    thread.end()
    assert sys.getswitchinterval() == usual


def test_a_forked_child_has_usual_turns() -> None:
    usual = sys.getswitchinterval()
    turns = ShortTurns()
    with turns:
        child = os.fork()
        if not child:
            turns.renew()
            os._exit(0 if sys.getswitchinterval() == usual else 1)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
