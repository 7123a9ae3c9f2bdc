"""Plans: what they may say, and that what is wrong with one is told with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.migration.orders import Limits, Options
from devicefix.migration.plan import Plan
from devicefix.migration.plan_file import load_plan
from devicefix.settings import SettingsError

HEAD = '[campaign]\nname = "c"\n'
ONE = '[[repositories]]\nurl = "https://github.com/acme/a"\n'


def plan_of(folder: Path, text: str) -> Plan:
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return load_plan(folder / "plan.toml")


def test_a_small_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(tmp_path / "state"))
    plan = plan_of(tmp_path, HEAD + ONE)
    (entry,) = plan.entries
    assert plan.folder == tmp_path / "state" / "campaigns" / "c"
    assert (entry.key, entry.name, entry.forge_name) == ("github.com/acme/a", "acme/a", "acme/a")
    order = entry.order
    assert (order.url, order.base, order.paths, order.verify) == (
        "https://github.com/acme/a",
        "",
        (".",),
        "",
    )
    assert (order.options, order.limits) == (Options(), Limits())
    words = plan.wording.filled("acme/a", "main")
    assert (words.branch, words.message) == ("devicefix/main", "Run on any device")


def test_all_keys(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        """
[campaign]
name = "device-agnostic"
workspace = "state"
branch = "bots/{base}/{name}"
title = "Run {name} on any device"
message = "Fix devices of {name}\\n\\nFor {base}."
author = "A Bot <bot@example.org>"
sign-off = true
body-before = "See #1. {name}"
github-api = "https://git.example:8443/api/v3/"
token-variable = "BOT_TOKEN"
pull-requests-per-hour = 60
pause = 0
jobs = 4
executor = "local"
timeout = 60
memory = "1.5 GB"
clone-size = "200 MB"
attempts = 5
retry-after = 1
[defaults]
select = ["DFX2"]
unsafe-fixes = true
verify = "python train.py"
devices = ["sim:cuda:2", "cpu", "cpu"]
gpus = 0.5
[[repositories]]
url = "https://git.example:8443/acme/a.git"
base = "dev"
paths = ["src", "train.py"]
select = []
timeout = 5
[[repositories]]
url = "git@git.example:acme/b.git"
[[repositories]]
url = "https://elsewhere.example/acme/c"
verify = ""
""",
    )
    a, b, c = plan.entries
    words = plan.wording.filled(a.forge_name, "dev")
    assert (words.branch, words.title) == ("bots/dev/acme/a", "Run acme/a on any device")
    assert words.body_before == "See #1. acme/a"
    assert words.commit_message("- DFX201: 2") == (
        "Fix devices of acme/a\n\nFor dev.\n\n- DFX201: 2\n\nSigned-off-by: A Bot <bot@example.org>"
    )
    assert plan.folder == tmp_path / "state"
    assert (plan.github.api, plan.github.per_hour) == ("https://git.example:8443/api/v3", 60)
    assert (plan.work.executor, plan.work.attempts, plan.work.retry_after) == ("local", 5, 1.0)
    assert a.key == "git.example:8443/acme/a@dev"
    assert (a.order.paths, a.order.options.select) == (("src", "train.py"), ())
    assert a.order.limits == Limits(5.0, 1_500_000_000, 200_000_000)
    assert (a.order.devices, a.order.gpus) == (("sim:cuda:2", "cpu"), 0.5)
    assert b.order.options == Options(select=("DFX2",), unsafe_fixes=True)
    assert (c.order.verify, c.forge_name) == ("", "")
    # A token goes to its own server only.
    assert [entry.order.token_variable for entry in plan.entries] == ["BOT_TOKEN", "", ""]


def test_lists_and_folders(tmp_path: Path) -> None:
    (tmp_path / "x" / "one").mkdir(parents=True)
    (tmp_path / "x" / "repos.txt").write_text(
        "# ours\nhttps://github.com/acme/b\n\n  one  \r\ngit@github.com:acme/c.git\n"
    )
    plan = plan_of(
        tmp_path,
        f'{HEAD}[[repositories]]\nlist = "x/repos.txt"\nbase = "main"\n'
        '[[repositories]]\npath = "x/one"\n',
    )
    assert [entry.name for entry in plan.entries] == [
        "acme/b@main",
        "one@main",
        "acme/c@main",
        "one",
    ]
    assert plan.entries[1].order.url == str(tmp_path / "x" / "one")
    assert [entry.forge_name for entry in plan.entries] == ["acme/b", "", "acme/c", ""]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (HEAD, None, "there are no [[repositories]]"),
        (ONE, None, "[campaign] needs a name"),
        ("[campaign]\nname = \n" + ONE, 2, "not TOML"),
        ("x = " + "9" * 5_000, None, "not TOML: Exceeds the limit"),
        ("x = " + "[" * 3_000, None, "is nested too deeply"),
        (HEAD + "jobz = 1\n" + ONE, 3, "unknown key 'jobz'; did you mean 'jobs'?"),
        (HEAD + "[default]\n" + ONE, 3, "unknown table 'default'; did you mean 'defaults'?"),
        ('[campaign]\nname = "../x"\n' + ONE, 2, "a name consists of"),
        (HEAD + 'memory = "much"\n' + ONE, 3, 'must be a size such as "4 GB"'),
        (HEAD + "attempts = 0\n" + ONE, 3, "1 or more"),
        (HEAD + "timeout = true\n" + ONE, 3, "must be a number"),
        (HEAD + 'executor = "slurm"\n' + ONE, 3, "must be one of local"),
        (HEAD + 'branch = "a b"\n' + ONE, 3, "not a valid branch name: 'a b'"),
        (HEAD + 'branch = "x/{tag}"\n' + ONE, 3, "{tag} is not known; there are {name} and {base}"),
        (HEAD + 'title = "a\\nb"\n' + ONE, 3, "must be one line"),
        (HEAD + 'title = " "\n' + ONE, 3, "title: must not be empty"),
        (HEAD + 'author = "me"\n' + ONE, 3, "not of the form"),
        (HEAD + 'token-variable = "ghp_x y"\n' + ONE, 3, "name of an environment variable"),
        (HEAD + 'token-variable = "ghp_x"\n' + ONE, 3, "this is a token"),
        (HEAD + 'github-api = "ftp://x"\n' + ONE, 3, "not the address of an API"),
        (HEAD + '[defaults]\nmin-torch = "new"\n' + ONE, 4, "min-torch is not a version"),
        (HEAD + '[defaults]\ndevices = ["sim:tpu"]\n' + ONE, 4, "unknown simulated device"),
        (HEAD + '[defaults]\nbase = "main"\n' + ONE, 4, "unknown key 'base'"),
        (HEAD + ONE + 'paths = ["../x"]\n', 5, "not a path in a repository: '../x'"),
        (HEAD + ONE + 'paths = ["/etc"]\n', 5, "not a path in a repository"),
        (HEAD + ONE + 'paths = ["a/.GIT/b"]\n', 5, "not a path in a repository"),
        (HEAD + ONE + 'base = "-x"\n', 5, "not a valid branch name"),
        (HEAD + ONE + 'path = "."\n', 3, "a url or a path"),
        (HEAD + ONE + ONE.replace("acme/a", "Acme/A.git/"), 6, "Acme/A is in"),
        (HEAD + ONE + '[[repositories]]\npath = "none"\n', 6, "there is no folder"),
        (HEAD + '[[repositories]]\npath = "~nobody-here/x"\n', 4, "there is no folder"),
        (HEAD + '[[repositories]]\nlist = "none"\n', 4, "cannot be read"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, text: str, line: int | None, reason: str
) -> None:
    with pytest.raises(SettingsError) as told:
        plan_of(tmp_path, text)
    assert (told.value.path, told.value.line) == (tmp_path / "plan.toml", line)
    assert reason in told.value.reason


@pytest.mark.parametrize(
    "url",
    [
        "HTTPS://GitHub.com/Acme/A.git/",
        "https://github.com:443/acme/./a",
        "https://github.com//acme//%61",
        "ssh://git@github.com:22/acme/a.git",
        "git@github.com:acme/a",
    ],
)
def test_another_spelling_is_the_same_repository(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match=r"is in .*already"):
        plan_of(tmp_path, f'{HEAD}{ONE}[[repositories]]\nurl = "{url}"\n')


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id",
        "--upload-pack=x",
        "git://github.com/acme/a",
        "file:///tmp/a",
        "https://github.com/",
        "https://github.com/../a",
        "https://token@github.com/acme/a",
        "https://me:token@github.com/acme/a",
        "ftp://me:token@github.com/acme/a",
        "me:token@github.com:acme/a",
        "https://github.com/acme/a?access=me:token",
        "https://github.com/acme/a # ours",
        "https://github.com:99999/acme/a",
        "https://[::1/acme/a",
        "https://github.com/acme/%2e%2e/a",
        "https://github.com/acme/a\\u001b[0m",
        " https://github.com/acme/a",
        "C:\\\\x",
        "acme/a",
        "",
    ],
)
def test_what_is_no_address_is_not_given_to_git(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match=r"plan\.toml:4: ") as told:
        plan_of(tmp_path, f'{HEAD}[[repositories]]\nurl = "{url}"\n')
    assert "me:token" not in str(told.value)


def test_a_bad_line_of_a_list_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "repos.txt").write_text("https://github.com/acme/a\next::id\n")
    with pytest.raises(SettingsError, match=r"repos\.txt:2: not the address"):
        plan_of(tmp_path, f'{HEAD}[[repositories]]\nlist = "repos.txt"\n')


def test_a_token_is_not_sent_in_the_clear(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, HEAD + ONE.replace("https", "http"))
    assert plan.entries[0].order.token_variable == ""


def test_a_command_is_no_template(tmp_path: Path) -> None:
    command = "python -c 'print({x}, {name})'"
    plan = plan_of(tmp_path, f'{HEAD}{ONE}verify = "{command}"\n')
    assert plan.entries[0].order.verify == command


def test_values_are_never_evaluated(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, f'{HEAD}title = "$(id) `id` {{name}} {{0}} {{}} %s"\n{ONE}')
    assert plan.wording.filled("{base}", "main").title == "$(id) `id` {base} {0} {} %s"
