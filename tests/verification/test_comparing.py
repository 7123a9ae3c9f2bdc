"""What counts as the same, and what is shown first where it is not."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from devicefix.records import How
from devicefix.records.observations import Event, Kind, Leaf
from devicefix.verification.baseline import Baseline, baseline_of
from devicefix.verification.comparing import Compared, compare
from devicefix.verification.equality import Standard
from devicefix.verification.execution import Execution
from devicefix.verification.tolerance import EXACT, Tolerance, rounding
from devicefix.verification.touched import Touched
from tests.verification.observed import (
    at,
    execution,
    failure,
    left,
    loss,
    number,
    raised,
    read,
    saved,
    stepped,
    tensor,
    text,
    wrote,
)

ON_CPU = Standard(EXACT, across=False)
ACROSS = Standard(EXACT, across=True)
NOTHING = Touched()


def baseline(*runs: Execution) -> Baseline:
    found = baseline_of(runs[0])
    for again in runs[1:]:
        found.learn(again)
    return found


def held(
    before: list[Event],
    after: list[Event],
    standard: Standard = ON_CPU,
    touched: Touched = NOTHING,
) -> Compared:
    known = baseline(execution(*before), execution(*before))
    return compare(known, execution(*after), standard, touched=touched)


def same(
    before: list[Event],
    after: list[Event],
    standard: Standard = ON_CPU,
    touched: Touched = NOTHING,
) -> bool:
    return held(before, after, standard, touched).first is None


# Values --------------------------------------------------------------------------------------


def test_equal_runs_agree_and_are_counted() -> None:
    events = [
        wrote("epoch 1 0.5\n"),
        read(tensor(0.5, shape=())),
        loss(0.5),
        left("x", tensor(1.0, 2.0)),
    ]
    found = held(events, events)
    assert found.first is None
    assert found.compared == 5  # and the exit status
    assert found.masked == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (read(number(0.5)), read(number(0.25))),
        (read(tensor(1.0, 2.0)), read(tensor(1.0, 2.5))),
        (read(tensor(1.0, 2.0)), read(tensor(1.0, 2.0, shape=(2, 1)))),
        (read(tensor(1, 2, dtype="int64")), read(tensor(1.0, 2.0))),
        (loss(0.5), loss(math.nextafter(0.5, 1))),
        (saved(tensor(1.0, path="['w']")), saved(tensor(2.0, path="['w']"))),
        (left("x", tensor(1.0)), left("x", tensor(2.0))),
        (left("x", tensor(1, dtype="int64")), left("x", tensor(1.0))),
        (left("n", number(3)), left("n", number(4))),
        (wrote("loss 0.5\n"), wrote("loss 0.6\n")),
        (wrote("loss 0.5\n"), wrote("cost 0.5\n")),
    ],
)
def test_a_changed_observation_is_found(one: Event, other: Event) -> None:
    found = held([one], [other])
    assert found.first is not None
    assert found.first.kind is one.kind


def test_not_a_number_equals_itself() -> None:
    assert same([read(number(math.nan))], [read(number(math.nan))])
    assert same([wrote("loss nan\n")], [wrote("loss nan\n")])


def test_what_is_left_may_be_narrowed_but_not_what_is_read() -> None:
    wide, narrow = tensor(0.1, dtype="float64"), tensor(0.10000000149011612, dtype="float32")
    assert same([left("x", wide)], [left("x", narrow)])
    assert not same([left("x", wide)], [left("x", tensor(0.11, dtype="float32"))])
    assert not same([read(wide)], [read(narrow)])


def test_an_empty_line_counts_in_a_file_and_not_on_the_screen() -> None:
    """Who reads a file line by line meets it."""
    before, after = (execution(files={"log.jsonl": it}) for it in ("1\n2\n", "1\n\n2\n"))
    first = compare(baseline(before), after, ON_CPU).first
    assert first is not None
    assert (first.what, first.before, first.after) == ("log.jsonl:2", "nothing", "")
    end = execution(files={"log.jsonl": "1\n2\n\n"})
    assert compare(baseline(before), end, ON_CPU).first is not None
    for alike in ("1\r\n2\r\n", "1\n2"):
        other = execution(files={"log.jsonl": alike})
        assert compare(baseline(before), other, ON_CPU).first is None
    assert same([wrote("1\n2\n")], [wrote("1\n\n2\n")])


def test_spaces_count_in_a_file_unless_a_device_is_named() -> None:
    def same_file(before: str, after: str) -> bool:
        known = baseline(execution(files={"table.tsv": before}))
        return compare(known, execution(files={"table.tsv": after}), ACROSS).first is None

    assert not same_file("1\t2\n", "1 2\n")
    assert same_file("1\t2\n", "1\t2\n")
    assert same_file("on cpu    now\n", "on cuda:0 now\n")
    assert same([wrote("a  b\n")], [wrote("a b\n")], ACROSS)


def by_torch(*leaves: Leaf) -> Execution:
    return execution(saved(*leaves))


def by_others(*leaves: Leaf) -> Execution:
    return execution(stored={"state.pkl": leaves})


@pytest.mark.parametrize("made", [by_torch, by_others])
def test_what_is_saved_is_the_same_on_every_device(made: Callable[..., Execution]) -> None:
    """Numbers without a fraction, too, but for those that speak of the device by their names."""

    def same(before: Sequence[Leaf], after: Sequence[Leaf], standard: Standard) -> bool:
        return compare(baseline(made(*before)), made(*after), standard).first is None

    kept, other = number(3, "['epoch']"), number(4, "['epoch']")
    more = number(1, "['more']")
    assert not same([kept], [other], ACROSS)
    assert not same([kept], [kept, more], ACROSS)
    assert not same([kept, more], [kept], ACROSS)
    for name in ("['n_gpu']", "['args'].use_cuda", "['devices']", ".pin_memory", "['use_amp']"):
        assert same([number(0, name)], [number(1, name)], ACROSS)
        assert not same([number(0, name)], [number(1, name)], ON_CPU)


def test_what_an_optimizer_has_loaded_is_its_own_on_its_device_only() -> None:
    """PyTorch shares the tensors of the state there, and copies them otherwise."""
    loaded, stepped_on = tensor(1.0), tensor(2.0)
    shared = replace(stepped_on, loaded=loaded.digest, shared=True)
    copied = replace(loaded, loaded=loaded.digest)
    for one, other in ((shared, copied), (copied, shared)):
        found = held([left("state", one)], [left("state", other)])
        assert found.first is None
        assert "an optimizer reuses loaded state that is already on its device" in found.notes[0]
    written = held([saved(shared)], [saved(copied)]).first
    assert written is not None  # the file holds other numbers, and the report says why
    assert "copies it otherwise" in written.detail
    for wrong in (replace(copied, digest="other"), replace(copied, loaded="other"), loaded):
        changed = replace(wrong, numbers=array("d", [3.0]))
        assert not same([left("state", shared)], [left("state", changed)])


def test_a_tensor_without_dimensions_is_a_number() -> None:
    assert same([left("n", tensor(3, dtype="int64", shape=()))], [left("n", number(3))])


def test_what_is_changed_may_read_more_or_fewer_values_and_the_rest_has_to_agree() -> None:
    reads = [read(number(float(n)), line=n) for n in range(1, 6)]
    extra = read(number(77.0), line=30)
    here = Touched(frozenset({("train.py", 2)}), frozenset({("train.py", 30)}))
    assert same(reads, [*reads[:2], extra, *reads[2:]], touched=here)
    fewer = held(reads, [reads[0], *reads[2:]], touched=here)
    assert (fewer.first, fewer.notes) == (None, ["some values are no longer read from tensors"])
    changed = [*reads[:2], extra, reads[2], read(number(8.0), line=40), reads[4]]
    first = held(reads, changed, touched=here).first
    assert first is not None
    assert (first.before, first.after) == ("4.0", "8.0")


def test_what_is_changed_may_read_the_same_values_in_another_shape() -> None:
    row = [read(tensor(1.0, 2.0, 3.0, 4.0, shape=(4,)), line=2)]
    square = [read(tensor(1.0, 2.0, 3.0, 4.0, shape=(2, 2)), line=30)]
    turned = [read(tensor(1.0, 3.0, 2.0, 4.0, shape=(2, 2)), line=30)]
    here = Touched(frozenset({("train.py", 2)}), frozenset({("train.py", 30)}))
    assert same(row, square, touched=here)
    assert not same(row, turned, touched=here)
    assert not same(row, square)


def test_a_value_read_in_what_is_not_changed_must_be_read_as_often() -> None:
    reads = [read(number(float(n)), line=n) for n in range(1, 6)]
    lost, more = held(reads, reads[:4]).first, held(reads[:4], reads).first
    assert lost is not None
    assert more is not None
    assert (lost.before, lost.after) == ("5.0", "nothing")
    assert (more.before, more.after) == ("nothing", "5.0")


def test_an_error_that_the_program_catches_counts() -> None:
    done = [loss(1.0)]
    caught = [raised("RuntimeError", "two devices were combined", 7), *done]
    first = held(done, caught).first
    assert first is not None
    told = (Kind.RAISED, "nothing", "two devices were combined")
    assert (first.kind, first.before, first.after) == told
    assert same(caught, [raised("RuntimeError", "other words", 9), *done])
    assert not same(caught, [raised("TypeError", "two devices were combined", 7), *done])
    assert not same(caught, done)
    without = [raised("AssertionError", "Torch not compiled with CUDA enabled", 7), *done]
    assert same(without, done)  # so it asks whether there is a device


def test_parameters_after_the_last_step_count_both_ways() -> None:
    first = stepped("SGD 1", tensor(1.0, path=" parameter 1"))
    assert not same([first], [stepped("SGD 1", tensor(2.0, path=" parameter 1"))])
    second = stepped("Adam 2", tensor(1.0, path=" parameter 1"))
    assert not same([first], [first, second])
    assert not same([first, second], [first])


def test_a_loss_more_or_less_is_a_difference() -> None:
    losses = [loss(1.0, 3), loss(0.5, 3)]
    for first in (held(losses, losses[:1]).first, held(losses[:1], losses).first):
        assert first is not None
        assert first.what == "the loss"


def test_the_first_difference_is_that_which_happened_first() -> None:
    before = [
        wrote("a 1\n", 1),
        read(number(2.0), line=2),
        wrote("b 2\n", 3),
        left("x", number(1.0)),
    ]
    after = [
        wrote("a 1\n", 1),
        read(number(3.0), line=2),
        wrote("b 3\n", 3),
        left("x", number(9.0)),
    ]
    first = held(before, after).first
    assert first is not None
    assert first.kind is Kind.READ
    assert first.at_after is not None
    assert first.at_after.line == 2


# Names and saved things --------------------------------------------------------------------------


def test_a_key_lost_from_a_saved_or_left_state_is_a_difference_and_so_is_a_new_one() -> None:
    w, scale = tensor(1.0, path="['w']"), tensor(2.0, path="['scale']")
    for make in (saved, lambda *leaves: left("model", *leaves)):
        first = held([make(w, scale)], [make(w)]).first
        assert first is not None
        assert "scale" in first.what
        first = held([make(w)], [make(w, scale)]).first
        assert first is not None
        assert ("scale" in first.what, first.before) == (True, "nothing")
    assert not same([saved(w)], [saved(w), saved(w)])
    flag = number(1, path=".use_cuda")
    assert same([left("net", w)], [left("net", w, flag)])  # what a change defines


def test_a_key_of_a_save_is_new_whatever_it_stands_for() -> None:
    w, name = tensor(1.0, path="['w']"), text("cpu", path="['device']")
    first = held([saved(w)], [saved(w, name, line=9)]).first
    assert first is not None
    assert (first.before, first.at_after) == ("nothing", at(9))
    assert same([saved(w, text("cuda", path="['device']"))], [saved(w, name)])
    assert same([saved(w)], [saved(w, name)], ACROSS)
    assert same([left("found", w)], [left("found", w, name)])


def test_a_number_that_is_saved_is_no_tensor() -> None:
    epoch = "['epoch']"
    one = tensor(3, dtype="int64", shape=(), path=epoch)
    first = held([saved(number(3, epoch))], [saved(one)]).first
    assert first is not None
    assert (first.before, first.after) == ("3 (int)", "3 (tensor)")
    assert same([left("state", number(3, epoch))], [left("state", one)])


def test_a_name_that_is_gone_is_no_difference() -> None:
    assert same([left("x", tensor(1.0)), left("y", tensor(1.0))], [left("y", tensor(1.0))])


def test_evaluation_mode_counts_on_every_device() -> None:
    mode = ".training"
    on, off = (left("model", number(flag, path=mode)) for flag in (True, False))
    assert not same([on], [off])
    assert not same([on], [off], ACROSS)


def test_across_devices_counts_and_flags_may_differ_and_measurements_may_not() -> None:
    assert same([left("gpus", number(0))], [left("gpus", number(1))], ACROSS)
    assert same([left("name", text("cpu"))], [left("name", text("cuda"))], ACROSS)
    assert not same([left("gpus", number(0))], [left("gpus", number(1))])
    assert not same([left("acc", number(0.5))], [left("acc", number(0.6))], ACROSS)


# Output --------------------------------------------------------------------------------------


def test_a_printed_tensor_may_come_in_pieces() -> None:
    before = [wrote("tensor([[1., 2.],\n"), wrote("        [3., 4.]])\n"), wrote("done\n")]
    after = [
        wrote("tensor([[1., 2.],\n        [3., 4.]],\n"),
        wrote("       device='cuda:0')\n"),
        wrote("done\n"),
    ]
    assert same(before, after, ACROSS)


def test_lines_about_the_device_may_be_said_on_it() -> None:
    before = [wrote("start\n"), wrote("loss 0.5\n")]
    after = [wrote("start\n"), wrote("CUDA device found: A100\n"), wrote("loss 0.5\n")]
    assert same(before, after, ACROSS)
    assert not same(before, after)
    assert same([wrote("cuda available: False\n")], [wrote("cuda available: True\n")], ACROSS)
    assert same([wrote("1 cpu\n")], [wrote("2 gpu\n")], ACROSS)
    assert not same([wrote("cpu loss 0.5\n")], [wrote("cuda loss 0.7\n")], ACROSS)


def test_what_the_program_said_there_before_is_right() -> None:
    before, there = (
        execution(wrote("mode: slow\n")),
        execution(wrote("mode: fast\n"), device="sim:cuda"),
    )
    after = execution(wrote("mode: fast\n"), device="sim:cuda")
    assert compare(baseline(before), after, ACROSS, there).first is None
    assert compare(baseline(before), after, ACROSS).first is not None


def test_what_the_program_did_not_say_there_before_need_not_be_said() -> None:
    before = execution(wrote("this takes longer\n"), wrote("loss 0.5\n"))
    after = execution(wrote("loss 0.5\n"))
    assert compare(baseline(before), after, ACROSS, there=after).first is None
    assert compare(baseline(before), after, ACROSS, there=before).first is not None
    assert compare(baseline(before), after, ON_CPU, there=after).first is not None
    assert compare(baseline(before), after, ACROSS).first is not None
    crashed = execution(status=1, failure=failure("RuntimeError", "two devices", 3))
    assert compare(baseline(before), after, ACROSS, there=crashed).first is not None


def test_a_line_about_the_device_may_be_left_out_on_it_unless_it_holds_a_result() -> None:
    assert same([wrote("no GPU here\n"), wrote("1.5\n")], [wrote("1.5\n")], ACROSS)
    assert not same([wrote("cuda: loss 0.5\n"), wrote("1.5\n")], [wrote("1.5\n")], ACROSS)


def test_what_only_a_device_can_say_need_not_be_said_without_one() -> None:
    asks = Event(Kind.ASKED, at(4), "torch.cuda.get_device_properties", text="Acme Model 5")
    there = [asks, wrote("on Acme Model 5\n", 5), wrote("16.0 GB\n", 4), wrote("loss 0.5\n", 6)]
    here = [wrote("loss 0.5\n", 6)]
    assert same(there, here, ACROSS)
    assert same(here, there, ACROSS)
    assert same(there, [wrote("on cpu\n", 5), *here], ACROSS)
    assert not same(there, here)
    assert not same([*there, wrote("16.0 GB\n", 7)], here, ACROSS)  # another line says it
    assert not same(there, there[:-1], ACROSS)
    assert not same([asks, wrote("loss 0.5\n", 4)], [asks, wrote("loss 0.7\n", 4)], ACROSS)


def test_a_wrong_result_there_before_is_not_made_right() -> None:
    before, there = execution(wrote("loss 0.5\n")), execution(wrote("loss 0.9\n"))
    assert (
        compare(baseline(before), execution(wrote("loss 0.9\n")), ACROSS, there).first is not None
    )


def test_a_line_lost_is_found() -> None:
    first = held(
        [wrote("a\n", 1), wrote("b\n", 2), wrote("c\n", 3)], [wrote("a\n", 1), wrote("c\n", 3)]
    ).first
    assert first is not None
    assert first.before == "b"


def test_output_that_no_python_wrote_is_compared_whatever_its_order() -> None:
    one = execution(wrote("mine\n"), output="from C 1\nmine\nfrom C 2\n")
    other = execution(wrote("mine\n"), output="from C 2\nfrom C 1\nmine\n")
    assert compare(baseline(one), other, ON_CPU).first is None
    third = execution(wrote("mine\n"), output="mine\nfrom C 1\nfrom C 3\n")
    assert compare(baseline(one), third, ON_CPU).first is not None


def test_what_is_written_to_files_of_text_counts() -> None:
    table = "epoch,loss\n1,0.5\n"
    known = baseline(execution(files={"log.csv": table}), execution(files={"log.csv": table}))
    assert compare(known, execution(files={"log.csv": table}), ON_CPU).first is None
    first = compare(known, execution(files={"log.csv": "epoch,loss\n1,0.6\n"}), ON_CPU).first
    assert first is not None
    assert (first.what, first.before, first.after) == ("log.csv:2", "1,0.5", "1,0.6")
    assert compare(known, execution(), ON_CPU).first is not None
    added = compare(known, execution(files={"log.csv": table, "new.txt": "x"}), ON_CPU).first
    assert added is not None
    assert (added.what, added.before, added.after) == ("new.txt:1", "nothing", "x")


def test_a_file_whose_name_varies_is_found_under_its_other_names() -> None:
    known = baseline(execution(files={"run-1.txt": "0.5"}), execution(files={"run-2.txt": "0.5"}))
    assert compare(known, execution(files={"run-3.txt": "0.5"}), ON_CPU).first is None
    assert compare(known, execution(files={"run-3.txt": "0.6"}), ON_CPU).first is not None
    assert compare(known, execution(), ON_CPU).first is not None
    steady = baseline(*[execution(files={"run-1.txt": "0.5"})] * 2)
    assert compare(steady, execution(files={"run-3.txt": "0.5"}), ON_CPU).first is not None


def test_files_that_come_and_go_may_do_so() -> None:
    files = [f"tmp/{n}.txt" for n in range(5)]
    known = baseline(*(execution(files=dict.fromkeys(files[:n], "1")) for n in (3, 2)))
    assert compare(known, execution(files=dict.fromkeys(files, "1")), ON_CPU).first is None
    found = compare(known, execution(files={"tmp/0.txt": "2", "tmp/1.txt": "1"}), ON_CPU)
    assert found.first is not None


def test_values_in_files_are_compared_by_their_places_and_others_as_a_whole() -> None:
    def wrote_files(weight: float, plot: str = "a", name: str = "x") -> Execution:
        image = Leaf("", "file", text=plot)
        results = (tensor(weight, path="['w']"), text(name, path="['name']"))
        return execution(stored={"r.pkl": results, "plot.png": (image,)})

    known = baseline(*[wrote_files(1.0)] * 2)
    assert compare(known, wrote_files(1.0), ACROSS).first is None
    first = compare(known, wrote_files(2.0), ACROSS).first
    assert first is not None
    assert (first.what, first.before, first.after) == ("['w'] in r.pkl", "1", "2")
    assert compare(known, wrote_files(1.0, name="y"), ACROSS).first is not None
    assert compare(known, wrote_files(1.0, "b"), ACROSS).first is not None
    known.learn(wrote_files(1.0, "b"))
    varies = compare(known, wrote_files(1.0, "c"), ACROSS)
    assert varies.first is None
    assert varies.notes == ["not compared, as it varies from run to run: plot.png"]


# Masks ---------------------------------------------------------------------------------------


def test_what_differs_between_two_runs_before_is_not_compared() -> None:
    first = execution(wrote("loss 0.5 took 1.2s\n"), read(number(7.0)))
    second = execution(wrote("loss 0.5 took 88s\n"), read(number(8.0)))
    known = baseline(first, second)
    found = compare(known, execution(wrote("loss 0.5 took 3s\n"), read(number(9.0))), ON_CPU)
    assert found.first is None
    assert found.masked == 2
    assert compare(known, execution(wrote("loss 0.6 took 3s\n"), read(number(9.0))), ON_CPU).first


def test_a_masked_line_of_another_shape_is_a_masked_line() -> None:
    first = execution(wrote("id 3f-aa\n"), wrote("loss 0.5\n"))
    second = execution(wrote("id 99\n"), wrote("loss 0.5\n"))
    known = baseline(first, second)
    assert compare(known, execution(wrote("id 0\n"), wrote("loss 0.5\n")), ON_CPU).first is None
    assert compare(known, execution(wrote("id 0\n"), wrote("loss 0.1\n")), ON_CPU).first is not None


def test_values_that_vary_are_masked_one_by_one() -> None:
    first = execution(loss(1.0), loss(0.5), left("seed", number(3)))
    second = execution(loss(1.0), loss(0.6), left("seed", number(4)))
    known = baseline(first, second)
    assert (
        compare(known, execution(loss(1.0), loss(9.0), left("seed", number(5))), ON_CPU).first
        is None
    )
    assert compare(known, execution(loss(1.1), loss(0.5)), ON_CPU).first is not None


# Endings -------------------------------------------------------------------------------------


def test_a_crash_is_shown_with_its_line_and_what_came_before_it_first() -> None:
    before = [read(number(1.0), line=1), read(number(2.0), line=2)]
    crash = failure("RuntimeError", "two devices", 9)
    crashed = execution(before[0], status=1, failure=crash)
    first = compare(baseline(execution(*before)), crashed, ON_CPU).first
    assert first is not None
    assert (first.kind, first.what, first.detail) == (None, "RuntimeError", "two devices")
    assert first.at_after is not None
    assert first.at_after.line == 9
    wrong = execution(read(number(5.0), line=1), status=1, failure=crash)
    first = compare(baseline(execution(*before)), wrong, ON_CPU).first
    assert first is not None
    assert first.kind is Kind.READ


def test_another_exit_status_is_a_difference() -> None:
    assert compare(baseline(execution(status=3)), execution(status=3), ON_CPU).first is None
    assert compare(baseline(execution(status=0)), execution(status=3), ON_CPU).first is not None


def test_of_a_run_that_was_ended_only_what_came_before_is_compared() -> None:
    losses = [loss(float(n)) for n in range(9)]
    ended = execution(*losses[:4], left("x", number(1.0)), how=How.TIMEOUT, status=124)
    assert compare(baseline(execution(*losses)), ended, ON_CPU).first is None
    assert compare(baseline(ended), execution(*losses), ON_CPU).first is None
    wrong = execution(loss(0.0), loss(7.0), how=How.TIMEOUT, status=124)
    assert compare(baseline(execution(*losses)), wrong, ON_CPU).first is not None


# Tolerance -----------------------------------------------------------------------------------


def test_rounding_is_accepted_where_it_is_and_told() -> None:
    (tolerance,) = rounding(["renorm", "float16"])
    assert "renorm rounds differently" in tolerance.words
    assert rounding(["float16"]) == ()
    standard = Standard(tolerance, across=True)
    found = held(
        [read(number(1.0)), wrote("0.1234\n")], [read(number(1.00001)), wrote("0.1235\n")], standard
    )
    assert found.first is None
    furthest = found.furthest
    assert furthest is not None
    assert (furthest.what, furthest.before, furthest.after) == (
        "line 1 of the output",
        0.1234,
        0.1235,
    )
    assert furthest.absolute == pytest.approx(1e-4)
    assert furthest.relative == pytest.approx(1e-4 / 0.1235)
    assert not same([read(number(1.0))], [read(number(1.01))], standard)
    assert not same([wrote("12 of 60\n")], [wrote("13 of 60\n")], standard)
    assert not same([read(number(1.0))], [read(number(math.nan))], standard)


def test_on_a_simulated_device_only_what_follows_from_such_a_kernel_may_be_off() -> None:
    (tolerance,) = rounding(["renorm"])
    standard = Standard(tolerance, across=True, simulated=True)
    before, after = [loss(1.0), loss(2.0)], [loss(1.00001), loss(2.0)]
    kernel = Event(Kind.ROUNDED, None, "renorm")
    assert same(before, [kernel, *after], standard)
    assert not same(before, [after[0], kernel, after[1]], standard)
    assert not same(before, after, standard)


def test_the_spread_of_perturbed_runs_is_accepted_on_top() -> None:
    before = execution(loss(1.0), loss(0.5), wrote("loss 0.50\n"))
    known = baseline(before)
    known.widen(execution(loss(1.0), loss(0.52), wrote("loss 0.52\n")))
    standard = Standard(Tolerance(1e-4, 1e-5), across=True)
    near = execution(loss(1.0), loss(0.6), wrote("loss 0.60\n"))
    assert compare(known, near, standard).first is None
    far = compare(known, execution(loss(1.0), loss(0.9), wrote("loss 0.90\n")), standard)
    assert far.first is not None
    assert far.began_alike
    assert not compare(known, execution(loss(1.1), loss(0.5)), standard).began_alike


def test_an_element_that_was_left_alone_by_chance_is_no_surer_than_the_others() -> None:
    """The first is the difference of large numbers; no perturbed run happened to move it."""
    before = execution(left("centred", tensor(-0.0083, 15.0, -12.0, 30.0)))
    known = baseline(before)
    moved = [-0.0083, 15.00001, -12.00001, 30.00001]
    known.widen(execution(left("centred", tensor(*moved))))
    standard = Standard(Tolerance(1e-4, 1e-5), across=True)
    near = execution(left("centred", tensor(-0.00832, 15.0, -12.0, 30.0)))
    assert compare(known, near, standard).first is None
    far = execution(left("centred", tensor(-0.0073, 15.0, -12.0, 30.0)))
    assert compare(known, far, standard).first is not None


def test_the_numbers_of_a_line_have_nothing_in_common() -> None:
    known = baseline(execution(wrote("step 3 of 9: loss 0.50 at 0.10\n")))
    known.widen(execution(wrote("step 3 of 9: loss 0.52 at 0.10\n")))
    known.widen(execution(wrote("step 3 of 9: loss 0.50 at 0.12\n")))
    standard = Standard(Tolerance(1e-4, 1e-5), across=True)
    other = execution(wrote("step 4 of 9: loss 0.50 at 0.10\n"))
    assert compare(known, other, standard).first is not None
