"""Where settings come from, and what is said of a broken file."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.oldest_torch import OldestTorch, Version
from devicefix.settings import Settings, SettingsError, load_settings


def write(folder: Path, text: str, name: str = "pyproject.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


FULL = """\
[project]
name = "x"

[tool.devicefix]
select = ["DFX1", "DFX201"]
ignore = ["DFX103"]
exclude = ["old/", "*_gen.py"]
unsafe-fixes = true
style = "cuda"
allow = ["torch.cuda.nvtx: ranges for Nsight", "torch.cuda.amp"]
device-expression = 'torch.device("mps")'
min-torch = "2.0"
python2 = false
baseline = "ci/known.json"
"""


def test_all_keys(tmp_path: Path) -> None:
    write(tmp_path, FULL)
    assert load_settings(tmp_path, None) == Settings(
        select=("DFX1", "DFX201"),
        ignore=("DFX103",),
        exclude=("old/", "*_gen.py"),
        unsafe_fixes=True,
        device_expression='torch.device("mps")',
        min_torch="2.0",
        allow=("torch.cuda.nvtx: ranges for Nsight", "torch.cuda.amp"),
        python2=False,
        baseline=str(tmp_path / "ci" / "known.json"),
    )


def test_defaults_where_there_is_nothing(tmp_path: Path) -> None:
    write(tmp_path, "[tool.devicefix]\n")
    assert load_settings(tmp_path) == Settings()


def test_the_nearest_file_that_has_our_table(tmp_path: Path) -> None:
    write(tmp_path, '[tool.devicefix]\nignore = ["DFX1"]\n')
    write(tmp_path / "a", "[tool.other]\nx = 1\n")
    program = write(tmp_path / "a" / "b", "import torch\n", "program.py")
    assert load_settings(tmp_path / "a" / "b").ignore == ("DFX1",)
    assert load_settings(program).ignore == ("DFX1",)
    write(tmp_path / "a" / "b", '[tool.devicefix]\nignore = ["DFX2"]\n')
    assert load_settings(program).ignore == ("DFX2",)


def test_a_named_file_may_hold_the_keys_at_its_top(tmp_path: Path) -> None:
    path = write(tmp_path, 'select = ["DFX1"]\n', "devicefix.toml")
    assert load_settings(tmp_path, path).select == ("DFX1",)
    path = write(tmp_path, '[tool.devicefix]\nselect = ["DFX2"]\n', "other.toml")
    assert load_settings(tmp_path, path).select == ("DFX2",)
    path = write(tmp_path, '[project]\nname = "x"\n')
    assert load_settings(tmp_path, path) == Settings()


BROKEN = {
    "no TOML": ("[tool.devicefix]\nselect == 1\n", "pyproject.toml:2: not TOML"),
    "unknown key": ('[a]\nx = 1\n[tool.devicefix]\nignores = ["x"]\n', ":4: unknown setting 'ign"),
    "near miss": ("[tool.devicefix]\nunsafe_fixes = true\n", ":2: .*did you mean 'unsafe-fixes'"),
    "far miss": ("[tool.devicefix]\nzzz = 1\n", ":2: .*known are allow, baseline, cache, clear"),
    "no list": ('[tool.devicefix]\nselect = "DFX1"\n', ":2: select must be a list of strings"),
    "no strings": ("[tool.devicefix]\n\nexclude = [1]\n", ":3: exclude must be a list of strings"),
    "no truth value": ("[tool.devicefix]\nunsafe-fixes = 1\n", ":2: .*must be true or false"),
    "no name": ('[tool.devicefix]\nallow = ["nvtx"]\n', ":2: allow holds names such as"),
    "no style": ('[tool.devicefix]\nstyle = "mps"\n', ":2: style is one of 'cuda', 'accelerator'"),
    "a style of a newer torch": (
        '[tool.devicefix]\nmin-torch = "2.5"\nstyle = "accelerator"\n',
        ':3: style "accelerator" needs torch 2.6, and min-torch is 2.5',
    ),
    "no string": ("[tool.devicefix]\ndevice-expression = 1\n", ":2: .*must be a string"),
    "no expression": ('[tool.devicefix]\ndevice-expression = "a b"\n', ":2: .*not a Python expr"),
    "no version": ('[tool.devicefix]\nmin-torch = "two"\n', ":2: min-torch is not a version such"),
    "no number": ("[tool.devicefix]\nmin-torch = 2.0\n", ":2: min-torch must be a string"),
    "outside": ('[tool.devicefix]\nbaseline = "a/../../b"\n', ":2: baseline must be a path below"),
    "elsewhere": ('[tool.devicefix]\nbaseline = "/etc/x"\n', ":2: baseline must be a path below"),
    "too old": ('[tool.devicefix]\nmin-torch = "0.3"\n', ":2: .*must be 0.4 or newer, not 0.3"),
    "number": ("a = " + "9" * 5_000, ": not TOML: Exceeds the limit"),
    "deep": ("a = " + "[" * 100_000, ": is nested too deeply"),
    "no table": ("[tool]\ndevicefix = 3\n", ":2: tool.devicefix must be a table"),
    "inline": ("[tool]\ndevicefix = {nope = 1}\n", "unknown setting 'nope'"),
}


@pytest.mark.parametrize(("text", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_named_with_its_line(text: str, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError, match=reason) as caught:
        load_settings(tmp_path)
    assert str(caught.value).startswith(str(path))


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"x = '\xff'\n")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load_settings(tmp_path)


def test_a_named_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        load_settings(tmp_path, tmp_path / "nope.toml")


def test_a_file_that_does_not_end(tmp_path: Path) -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("there is no /dev/zero")
    with pytest.raises(SettingsError, match="more than 10000000 bytes"):
        load_settings(tmp_path, Path("/dev/zero"))


@pytest.mark.parametrize(
    ("style", "version", "found", "text"),
    [
        ("cuda", (2, 9), "cuda", '"cuda" if torch.cuda.is_available()'),
        ("accelerator", (2, 7), "accelerator", "check_available=True) or"),
        ("accelerator", (2, 6), "accelerator", "if torch.accelerator.is_available() else"),
        ("accelerator", (2, 5), "cuda", '"cuda" if torch.cuda.is_available()'),
    ],
)
def test_a_style_for_a_torch(style: str, version: Version, found: str, text: str) -> None:
    settings = Settings(style=style).for_torch(OldestTorch(version))
    assert settings.style == found
    assert text in settings.device_expression


def test_what_the_user_says_of_the_device_outranks_the_style() -> None:
    settings = Settings(style="accelerator", device_expression="torch.device('mps')")
    assert settings.for_torch(OldestTorch((2, 7))).device_expression == "torch.device('mps')"


def test_a_style_is_for_the_torch_that_has_it() -> None:
    assert Settings(style="accelerator").oldest_torch().version == (2, 7)
    old = OldestTorch((1, 9), "torch==1.9")
    assert Settings(style="accelerator").oldest_torch(old) == old
    assert Settings(style="accelerator", min_torch="2.6").oldest_torch(old).version == (2, 6)


def test_what_is_allowed() -> None:
    settings = Settings(allow=("torch.cuda.nvtx : ranges", "torch.cuda.get_device_name"))
    assert settings.allows("torch.cuda.nvtx.range_push")
    assert settings.allows("torch.cuda.get_device_name")
    assert not settings.allows("torch.cuda.nvtx_extra")
    assert not settings.allows("torch.cuda")
