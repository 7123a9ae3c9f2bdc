"""The step that opens, updates or closes the pull request."""

from __future__ import annotations

from pathlib import Path

from devicefix.action.handover import Handover
from devicefix.action.runner import Runner, annotate
from devicefix.pull_requests import Forge, Operation, Outcome, Remote, Server, publish, withdraw
from devicefix.reporting.markup import sentence


def open_or_close(handover: Handover, runner: Runner, token: str) -> Outcome:
    """Bring the pull request to where it should be. Raises `PullRequestError`."""
    server = Server(
        Remote(f"{runner.server.rstrip('/')}/{runner.repository}.git", token),
        Forge(runner.repository, token, runner.api, wait=0),  # two or three requests write
    )
    folder, proposal = Path(handover.folder), handover.proposal
    if proposal.files:
        outcome = publish(folder, server, proposal)
    else:
        outcome = withdraw(folder, server, proposal.branch, proposal.base, proposal.body)
    _tell(outcome, proposal.branch, runner)
    return outcome


def _tell(outcome: Outcome, branch: str, runner: Runner) -> None:
    of = f" pull request #{outcome.number}" if outcome.number is not None else ""
    level = "warning" if outcome.operation is Operation.KEPT else "notice"
    annotate(level, f"{outcome.operation.value}{of}: {outcome.reason}")
    link = f" [#{outcome.number}]({outcome.url})" if outcome.url else ""
    runner.summarise(
        f"\n**Pull request{link}** {outcome.operation.value}: {sentence(outcome.reason)}.\n"
    )
    runner.set_outputs(
        operation=outcome.operation.value,
        pull_request_number="" if outcome.number is None else outcome.number,
        pull_request_url=outcome.url,
        branch=branch,
        commit=outcome.commit,
    )
