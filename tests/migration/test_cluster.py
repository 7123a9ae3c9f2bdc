"""Orders done by a Ray cluster: what comes back is the same, and whatever is lost is told."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest

from devicefix import __version__
from devicefix.cli import main
from devicefix.migration import claims, ray_client, ray_entry, ray_worker
from devicefix.migration.capacity import Need, capacity_of, why_never
from devicefix.migration.cluster import Cluster
from devicefix.migration.orders import Ending, Order, Result, Stage
from devicefix.migration.plan_values import PlanError
from devicefix.migration.ray_messages import Request, Wanted
from devicefix.migration.refusals import CampaignError
from devicefix.verification.process_tree import descendants
from tests.migration.campaigns import CHANGED, write_plan
from tests.migration.conftest import CAMPAIGN, FIXED, PROGRAM, Author, order, strays
from tests.migration.ray_nodes import Nodes, until

WAIT: Final = 120.0
RAY: Final = pytest.mark.skipif(
    find_spec("ray") is None, reason="needs Ray: pip install 'devicefix[ray]'"
)


def node(alive: bool = True, **resources: float) -> dict[str, Any]:
    """As ``ray.nodes()`` gives it."""
    return {"Alive": alive, "Resources": resources}


# ---- what a cluster can take ---------------------------------------------------------------------


def test_how_much_is_under_way() -> None:
    nodes = [node(CPU=4.0), node(CPU=8.0, GPU=2.0), node(alive=False, CPU=100.0), node()]
    assert capacity_of(nodes, None) == 26
    assert capacity_of(nodes, 5) == 5
    assert capacity_of(nodes, 500) == 26
    assert capacity_of([], None) == 2  # so that a cluster that grows sees that it has to


def test_what_no_node_has() -> None:
    nodes = [node(CPU=4.0), node(CPU=1.0, GPU=2.0), node(alive=False, CPU=9.0, GPU=9.0)]
    assert why_never(Need(1.0, 0.0), nodes) == ""
    assert why_never(Need(1.0, 2.0), nodes) == ""
    assert why_never(Need(1.0, 3.0), nodes) == (
        "no node of the Ray cluster has 1 CPU and 3 GPUs (2 nodes looked at)"
    )
    assert "has 2 CPUs and 0.5 GPU (" in why_never(Need(2.0, 0.5), nodes)
    assert why_never(Need(1.0, 0.0), [node(GPU=1.0)]) == (
        "no node of the Ray cluster has 1 CPU (1 node looked at)"
    )


def test_only_a_proof_takes_gpus() -> None:
    wanted = order("/x", gpus=2.0)
    assert Request("x", Stage.REWRITE, wanted, None).gpus == 0.0
    assert Request("x", Stage.PROVE, wanted, CHANGED).gpus == 2.0


@pytest.mark.parametrize("gpus", ["0", "0.25", "1", "2.0"])
def test_a_plan_for_a_cluster(tmp_path: Path, gpus: str) -> None:
    said = 'executor = "ray"\nray-address = "head:6379"\nray-patience = 0'
    plan = write_plan(tmp_path, "a", campaign=said, rest=f"[defaults]\ngpus = {gpus}")
    assert (plan.work.executor, plan.work.jobs) == ("ray", None)
    assert (plan.work.ray_address, plan.work.ray_patience) == ("head:6379", 0.0)
    assert plan.entries[0].order.gpus == float(gpus)


def test_gpus_that_ray_would_refuse(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="gpus: must be a number up to 1, or a whole number"):
        write_plan(tmp_path, "a", rest="[defaults]\ngpus = 1.5")


def test_without_ray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(tmp_path, "a")
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["migrate", str(tmp_path / "plan.toml"), "--executor", "ray"]) == 2
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [
        "Error: the executor ray needs Ray: pip install 'devicefix[ray]'"
    ]


# ---- on a worker ---------------------------------------------------------------------------------


def test_a_worker_with_another_devicefix(monkeypatch: pytest.MonkeyPatch) -> None:
    word, why = ray_entry.run("9.9", b"no order")
    assert word == ray_entry.UNFIT
    assert f"has devicefix {__version__}, and 9.9 is needed" in str(why)
    assert sys.executable in str(why)
    monkeypatch.setitem(sys.modules, "devicefix", None)
    word, why = ray_entry.run(__version__, b"no order")
    assert word == ray_entry.UNFIT
    assert str(why).startswith(f"there is no devicefix for {sys.executable} on ")


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """This process is one, until the test is over."""
    before = set(descendants(os.getpid()))
    monkeypatch.setattr(ray_worker, "claimed", lambda: tmp_path / "claimed")
    yield
    kept = ray_worker._kept
    assert kept is not None
    kept.local.close()
    ray_worker._kept = None
    assert strays(before) == {}


def at_the_worker(wanted: Order) -> Result:
    word, found = ray_entry.run(__version__, pickle.dumps((Stage.REWRITE, wanted, None)))
    assert word == ray_entry.DONE
    result = pickle.loads(found)  # type: ignore[arg-type]
    assert isinstance(result, Result)
    return result


def test_a_worker_keeps_its_fork_server_as_long_as_its_environment(
    author: Author, worker: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author.write("a.py", PROGRAM)
    commit = author.commit()
    seen, ssh = tmp_path / "seen", tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "$CUDA_VISIBLE_DEVICES" > {seen}\nexit 1\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    others = set(descendants(os.getpid()))
    first = at_the_worker(order(author.folder))
    fork_server = set(descendants(os.getpid())) - others
    assert (first.ending, first.commit, first.base) == (Ending.CHANGED, commit, "main")
    assert [(f.path, f.after.decode()) for f in first.files] == [("a.py", FIXED)]
    assert at_the_worker(order("/nowhere")).ending is Ending.FAILED
    assert set(descendants(os.getpid())) - others == fork_server
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")  # as Ray says which GPUs a task has
    assert at_the_worker(order("ssh://example.org/a/b")).ending is Ending.FAILED
    assert seen.read_text() == "3\n"
    assert not fork_server & set(descendants(os.getpid()))


def test_what_workers_that_were_killed_have_left(tmp_path: Path) -> None:
    living, dead = claims.claimed(tmp_path), tmp_path / f"devicefix-{os.getuid()}" / "dead"
    (dead / "order-x/tree").mkdir(parents=True)
    dead.with_name("dead.lock").touch()
    next_one = claims.claimed(tmp_path)
    assert {living, next_one} == {path for path in living.parent.iterdir() if path.is_dir()}
    assert living != next_one
    assert living.stat().st_mode & 0o077 == living.parent.stat().st_mode & 0o077 == 0


def test_a_folder_that_somebody_else_may_write_to(tmp_path: Path) -> None:
    house = tmp_path / f"devicefix-{os.getuid()}"
    house.mkdir()
    house.chmod(0o777)
    assert claims.claimed(tmp_path).parent == tmp_path
    house.rmdir()
    house.symlink_to("/tmp")
    assert claims.claimed(tmp_path).parent == tmp_path


# ---- with Ray itself: benchmarks/campaign_ray.py kills more --------------------------------------


@RAY
@pytest.mark.parametrize(
    ("name", "reason", "transient"),
    [
        ("WorkerCrashedError", "the Ray worker that did it was lost (WorkerCrashedError)", True),
        ("OutOfMemoryError", "Ray stopped it, because its node ran out of memory", True),
        ("TaskUnschedulableError", "Ray cannot place it: The task is not schedulable: why", False),
    ],
)
def test_what_ray_says_of_a_task(name: str, reason: str, transient: bool) -> None:
    from ray import exceptions

    kind = getattr(exceptions, name)
    error = kind() if name == "WorkerCrashedError" else kind("why")
    assert ray_client.failure(error) == Result(Ending.FAILED, reason, transient)


@RAY
def test_a_cluster_that_is_lost_is_no_failure_of_a_repository() -> None:
    from ray.exceptions import LocalRayletDiedError

    with pytest.raises(ray_client.UselessError, match="the Ray cluster was lost"):
        ray_client.failure(LocalRayletDiedError())


@RAY
@CAMPAIGN
def test_a_worker_that_is_lost_and_one_that_is_not_there(
    author: Author, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author.write("a.py", PROGRAM)
    author.commit()
    monkeypatch.setenv("TOKEN", "secret")
    slow = tmp_path / "ssh"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    said: list[str] = []
    with Nodes() as nodes:
        own = {"GIT_SSH_COMMAND": str(slow), "GIT_SSH_VARIANT": "ssh", "TMPDIR": str(tmp_path)}
        nodes.environment |= own
        nodes.add(1)
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
            monkeypatch.setenv(name, nodes.environment[name])
        wanted = Wanted(nodes.address, None, 1.0)
        with Cluster(wanted, tmp_path / "work", "TOKEN", said.append) as cluster:
            cluster.submit("lost", Stage.REWRITE, order("ssh://example.org/a/b"))
            until(lambda: nodes.working("rewrite"))
            (worker,) = nodes.working("rewrite")
            until(lambda: len(descendants(worker)) > 2)  # a fork_server, the work, git
            below = descendants(worker)
            os.kill(worker, signal.SIGKILL)
            lost = only(cluster)
            assert (lost.ending, lost.transient) == (Ending.FAILED, True)
            assert lost.reason == "the Ray worker that did it was lost (WorkerCrashedError)"
            until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))
            cluster.submit("gpus", Stage.PROVE, order(author.folder, gpus=2.0), CHANGED)
            missing = only(cluster)
            assert (missing.ending, missing.transient) == (Ending.FAILED, False)
            assert missing.reason.startswith("no node of the Ray cluster has 1 CPU and 2 GPUs")
            assert said == [f"{missing.reason}; waiting up to 1 s"]
            cluster.submit("done", Stage.REWRITE, order(author.folder))
            assert only(cluster).ending is Ending.CHANGED
            cluster.submit("left", Stage.REWRITE, order("ssh://example.org/a/b"))
            until(lambda: nodes.working("rewrite"))
        until(lambda: not nodes.working("rewrite"))
    with pytest.raises(CampaignError):
        Cluster(replace(wanted, address="nonsense"), tmp_path / "work", "TOKEN", said.append)


def only(cluster: Cluster) -> Result:
    found: list[Result] = []

    def has_come() -> bool:
        found.extend(result for _, _, result in cluster.finished(1.0))
        return bool(found)

    until(has_come)
    (result,) = found
    return result
