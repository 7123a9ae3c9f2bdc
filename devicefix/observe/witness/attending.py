"""Puts the listeners that need torch in their places."""

from __future__ import annotations

from devicefix.observe.compiled import suspend_in_compiled_code
from devicefix.observe.warned import warn_of_the_program
from devicefix.observe.witness.log import EventLog
from devicefix.observe.witness.losses import Losses
from devicefix.observe.witness.readouts import Readouts
from devicefix.observe.witness.resumed import note_resumed
from devicefix.observe.witness.saving import note_saved
from devicefix.observe.witness.splitting import note_splits
from devicefix.observe.witness.steps import note_steps
from devicefix.simulator.provenance import follow_threads


def attend(log: EventLog) -> None:
    """Listen to readings, losses, splits, steps, what is saved and what is resumed, for good."""
    Losses(log).begin()
    note_splits(log)
    note_saved(log)
    note_steps(log)
    note_resumed(log)
    mode = Readouts(log)
    mode.__enter__()  # type: ignore[no-untyped-call]
    follow_threads(mode)
    suspend_in_compiled_code(lambda: None, Readouts)
    warn_of_the_program()
