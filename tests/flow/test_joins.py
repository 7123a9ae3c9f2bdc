"""What holds where several values meet: as much as is true of each of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import permutations
from typing import Final

import pytest
from msgspec.structs import replace

from devicefix.flow.graph import Label
from devicefix.flow.joins import (
    alternatives,
    element,
    exact_items,
    is_update,
    join,
    join_all,
    nesting,
    one_of,
    parts_in,
    tensor_parts,
    tensors_in,
)
from devicefix.flow.program import evaluate_program
from devicefix.flow.values import (
    ALONE,
    BOTTOM,
    NONE,
    NUMBER,
    PLAIN,
    RECURSIVE,
    SIZES,
    Array,
    Beside,
    Bound,
    Const,
    Dataset,
    Device,
    DictRecord,
    Dtype,
    Either,
    External,
    Flag,
    Instance,
    Listing,
    ListRecord,
    Loader,
    Mapping,
    ObjectRecord,
    OneOf,
    Opaque,
    Optimizer,
    Partial,
    Plain,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from devicefix.source import Program, Source

A, B, AB = frozenset((2,)), frozenset((3,)), frozenset((2, 3))
X, Y = (ast.parse(name, mode="eval").body for name in "xy")
CALL, OTHER_CALL = (ast.Call(X, [], []) for _ in range(2))
SUM, PRODUCT = External("torch.sum"), External("torch.prod")
ONE, TWO = Const(1), Const("two")
HOST: Final = Device(Label.HOST)
TARGET: Final = Device(Label.TARGET)
FIRST, SECOND = (ListRecord(number) for number in range(2))
ONES, OTHERS = (frozenset((ObjectRecord(number, X),)) for number in range(2))
KEYED, OTHER_KEYED = (frozenset((DictRecord(number),)) for number in range(2))
ANALYSIS, _ = evaluate_program(Program.alone(Source.from_text("def f(x): pass\n")))
(PARAMETER,) = ANALYSIS.parameters.values()
(FUNCTION,) = ANALYSIS.definitions.values()


DEVICE_OPTION, GPU_OPTION = (
    Plain(choice=True, options=frozenset((name,))) for name in ("device", "gpu")
)
OR_NONE, OR_OTHER, OR_VAGUE = Beside(none=True), Beside(other=True), Beside(vague=True)
SOMEBODY = Unknown("somebody")
UNSEEN = Beside(vague=True, doubt="somebody", unseen=SOMEBODY)


def beside(value: Value, traces: Beside) -> Value:
    """``value``, or what it has met."""
    return replace(value, beside=traces)


def of_kinds(*kinds: Value, traces: Beside = ALONE) -> Either:
    """One of these, each of another kind."""
    return Either("it can be values of different types", kinds=kinds, beside=traces)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        # of tensors: what is so of each
        (Tensor(A, "int64"), Tensor(B, "int64"), Tensor(AB, "int64")),
        (Tensor(A, "int64"), Tensor(B, "int32"), Tensor(AB)),
        (Tensor(A, scalar=True), Tensor(B, scalar=True), Tensor(AB, scalar=True)),
        (Tensor(A, scalar=True), Tensor(B), Tensor(AB)),
        (Tensor(A, born=X), Tensor(B, born=X), Tensor(AB, born=X)),
        (Tensor(A, born=X), Tensor(B, born=Y), Tensor(AB)),
        (Tensor(A, raw=False), Tensor(B), Tensor(AB, raw=False)),
        (beside(Tensor(A), OR_NONE), Tensor(B), beside(Tensor(AB), OR_NONE)),
        (
            beside(Tensor(A), OR_NONE),
            beside(Tensor(B), OR_OTHER),
            beside(Tensor(AB), Beside(none=True, other=True)),
        ),
        (beside(Tensor(A), OR_VAGUE), Tensor(B), beside(Tensor(AB), OR_VAGUE)),
        (Tensor(A, constant=True), Tensor(B, constant=True), Tensor(AB, constant=True)),
        (Tensor(A, constant=True), Tensor(B), Tensor(AB)),
        (Tensor(A, computed=True), Tensor(B, computed=True), Tensor(AB, computed=True)),
        (Tensor(A, computed=True), Tensor(B), Tensor(AB)),
        # of a tensor and what is none: the tensor, but nothing may be written behind it
        (Tensor(A), SOMEBODY, beside(Tensor(A), UNSEEN)),
        (Tensor(A), NONE, beside(Tensor(A), OR_NONE)),
        (beside(Tensor(A), OR_OTHER), NONE, beside(Tensor(A), Beside(none=True, other=True))),
        (Tensor(A), PLAIN, beside(Tensor(A), OR_OTHER)),
        (beside(Tensor(A), OR_NONE), ONE, beside(Tensor(A), Beside(none=True, other=True))),
        (Tensor(A), Tuple((ONE,)), of_kinds(Tensor(A), Tuple((ONE,)))),
        (Tensor(A), Tuple((PLAIN,)), of_kinds(Tensor(A), Tuple((PLAIN,)))),
        # of what has a place and what was not seen: whoever uses it may use that
        (Instance(ONES), SOMEBODY, of_kinds(Instance(ONES), traces=UNSEEN)),
        (Instance(ONES), Unknown(), Instance(ONES)),
        # of numbers and strings
        (ONE, NUMBER, NUMBER),
        (ONE, TWO, PLAIN),
        (Plain(reads=True), ONE, Plain(reads=True)),
        (Plain(storage=True), ONE, Plain(storage=True)),
        (Unknown(), ONE, ONE),
        # of arrays
        (Array("int64", A, A, 2), Array("int64", B, B, 1), Array("int64", AB, AB, 1)),
        (Array("int64"), Array("int32"), Array()),
        (Array(least=2), Array(), Array()),
        # of containers
        (Tuple((Tensor(A), ONE)), Tuple((Tensor(B), NUMBER)), Tuple((Tensor(AB), NUMBER))),
        (Tuple((ONE,), ("a",)), Tuple((NUMBER,), ("a",)), Tuple((NUMBER,), ("a",))),
        (Tuple((ONE,), ("a",)), Tuple((NUMBER,), ("b",)), Tuple((NUMBER,))),
        (Tuple((Tensor(A),)), Tuple((Tensor(B), Tensor(A))), Stream(Tensor(AB))),
        (Tuple((Tensor(A),)), Stream(Tensor(B)), Stream(Tensor(AB))),
        (Tuple((ONE,)), Dtype("int64"), of_kinds(Dtype("int64"), Tuple((ONE,)))),
        (Tuple((ONE,)), Mapping(KEYED), of_kinds(Mapping(KEYED), Tuple((ONE,)))),
        (
            Listing(frozenset((FIRST,))),
            Listing(frozenset((SECOND,))),
            Listing(frozenset((FIRST, SECOND))),
        ),
        (Instance(ONES), Instance(OTHERS), Instance(ONES | OTHERS)),
        (Mapping(KEYED), Mapping(OTHER_KEYED), Mapping(KEYED | OTHER_KEYED)),
        # of what somebody hands over, and what is known in the other branch
        (Opaque(PARAMETER), ONE, beside(Opaque(PARAMETER), OR_OTHER)),
        (Opaque(PARAMETER), Tensor(A), beside(Tensor(A), OR_VAGUE)),
        (Flag(), ONE, PLAIN),
        (Flag(), SUM, beside(SUM, OR_OTHER)),
        (NONE, SUM, beside(SUM, OR_NONE)),
        # of callables, and of what nothing is known of
        (SUM, PRODUCT, OneOf((SUM, PRODUCT))),
        (SUM, Dtype("int64"), of_kinds(Dtype("int64"), SUM)),
        (
            Optimizer(A, frozenset((CALL,))),
            Optimizer(B, frozenset((OTHER_CALL,))),
            Optimizer(AB, frozenset((CALL, OTHER_CALL))),
        ),
    ],
)
def test_what_holds_when_either_may(first: Value, second: Value, both: Value) -> None:
    assert join(first, second) == both
    assert join(second, first) == both


@pytest.mark.parametrize("order", list(permutations((Tensor(A), Tensor(B), Array("float64")))))
def test_of_three_branches_the_order_says_nothing(order: tuple[Value, Value, Value]) -> None:
    first, second, third = order
    both = of_kinds(Array("float64"), Tensor(AB))
    assert join(join(first, second), third) == both
    assert join(first, join(second, third)) == both
    assert join(both, first) == both


def test_what_may_be_of_several_kinds_stays_so() -> None:
    kinds = Array(), Tensor(A)
    both = of_kinds(*kinds)
    assert join(both, SOMEBODY) == join(SOMEBODY, both) == of_kinds(*kinds, traces=UNSEEN)
    assert join(both, NONE) == of_kinds(*kinds, traces=OR_NONE)
    assert join(both, ONE) == of_kinds(*kinds, traces=OR_OTHER)
    assert alternatives(join(both, NONE)) == tuple(beside(kind, OR_NONE) for kind in kinds)
    assert tensors_in(both) == (beside(Tensor(A), OR_OTHER),)


def test_what_was_not_seen_is_one_of_the_alternatives_of_an_object() -> None:
    both = join(Instance(ONES), SOMEBODY)
    assert alternatives(both) == (Instance(ONES), SOMEBODY)
    both = join(join(both, NONE), Tensor(A))
    assert alternatives(both) == (
        beside(Instance(ONES), OR_NONE),
        beside(Tensor(A), OR_NONE),
        SOMEBODY,
    )


@pytest.mark.parametrize(
    ("other", "maybe", "certain", "doubt"),
    [
        (NONE, "none", True, ""),
        (ONE, "other", False, ""),
        (Plain(choice=True), "other", False, ""),
        (Opaque(PARAMETER), "", False, ""),
        (Unknown(RECURSIVE), "", False, ""),
        (SOMEBODY, "", False, "somebody"),
        (one_of(External(f"torch.{name}") for name in "abcdefg"), "", False, "many callables"),
        (BOTTOM, "", True, ""),
    ],
)
def test_what_a_tensor_met_says_what_can_be_done_with_it(
    other: Value, maybe: str, certain: bool, doubt: str
) -> None:
    met = join(Tensor(A), other)
    assert isinstance(met, Tensor)
    assert (met.maybe, met.certain, met.doubt) == (maybe, certain, doubt)


def test_what_there_is_too_much_of_is_not_known_any_more() -> None:
    """However much of it comes later; what is of another kind stays."""
    many = one_of(External(f"torch.{name}") for name in "abcdefg")
    assert join(many, SUM) == join(SUM, many) == many
    assert tensors_in(join(join(many, Tensor(A)), SUM)) == tensors_in(join(many, Tensor(A)))
    assert isinstance(join(many, PLAIN), Unknown)


def test_an_option_names_the_device_however_late_a_device_comes() -> None:
    option = DEVICE_OPTION
    for values in permutations((option, Tensor(A), NUMBER, Const("cpu"))):
        (device,) = (v for v in alternatives(join_all(values)) if isinstance(v, Device))
        assert device.label is Label.TARGET
        assert device.origins == {"device"}


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (HOST, TARGET, Device(Label.TARGET, optional=True)),
        (
            Const("cpu"),
            Const("cuda:1"),
            Device(Label.TARGET, agnostic=False, optional=True, typed=False, gpu="1"),
        ),
        (TARGET, Const("cpu"), Device(Label.TARGET, optional=True, typed=False)),
        (Const("cpu"), Const("sum"), replace(Device(Label.HOST, typed=False), beside=OR_OTHER)),
        (Const("cpu"), NONE, replace(Const("cpu"), beside=OR_NONE)),
        (Device(None, A), Device(None, B), Device(None, AB)),
        (Device(None, A), TARGET, Device(None, A, named=Label.TARGET)),
        (Device(None, A), HOST, Device(None, A, named=Label.HOST)),
        (Device(None, A), Const("cuda"), Device(None, A, typed=False, named=Label.TARGET)),
        (Const("cuda:0"), Const("cuda:0"), Const("cuda:0")),
        (
            Const("cuda:0"),
            Const("cuda:1"),
            Device(Label.TARGET, agnostic=False, typed=False),
        ),
        (TARGET, Device(Label.TARGET, agnostic=False), Device(Label.TARGET, agnostic=False)),
        (TARGET, SUM, of_kinds(TARGET, SUM)),
    ],
)
def test_a_device_in_each_branch_is_a_choice(first: Value, second: Value, both: Value) -> None:
    assert join(first, second) == both
    assert join(second, first) == both


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("torch.cuda.FloatTensor", "torch.FloatTensor", "torch.cuda.FloatTensor"),
        ("torch.cuda.FloatTensor", "torch.Tensor", "torch.cuda.FloatTensor"),
        ("torch.cuda.ByteTensor", "torch.ByteTensor", "torch.cuda.ByteTensor"),
        ("torch.cuda.ByteTensor", "torch.LongTensor", ""),
        ("torch.FloatTensor", "torch.Tensor", "torch.Tensor"),
        ("torch.cuda.ByteTensor", "torch.Tensor", ""),
        ("torch.cuda.synchronize", "torch.synchronize", ""),
    ],
)
def test_a_type_for_each_device_is_the_one_of_the_accelerator(
    first: str, second: str, both: str
) -> None:
    one, other = External(first), External(second)
    assert join(one, other) == (External(both) if both else OneOf((one, other)))
    assert join(other, one) == join(one, other)


def test_where_strings_of_equal_constants_stand_is_kept() -> None:
    first, second = ast.Constant("cuda"), ast.Constant("cuda")
    both = join(Const("cuda", frozenset((first,))), Const("cuda", frozenset((second,))))
    assert isinstance(both, Const)
    assert both.written == {first, second}


def test_an_option_is_itself_wherever_it_is_read() -> None:
    both = join(
        DEVICE_OPTION,
        DEVICE_OPTION,
    )
    assert isinstance(both, Plain)
    assert (both.choice, both.option) == (True, "device")


def test_a_choice_of_two_options_has_no_name() -> None:
    both = join(
        DEVICE_OPTION,
        GPU_OPTION,
    )
    assert isinstance(both, Plain)
    assert (both.choice, both.option) == (True, "")


def test_long_choices_of_callables_are_not_followed() -> None:
    functions = [External(f"torch.{name}") for name in "abcdefg"]
    assert one_of(functions[:6]) == OneOf(tuple(functions[:6]))
    many = one_of(functions)
    assert isinstance(many, Unknown)
    assert many.reason == "many callables"
    assert one_of([SUM, SUM]) == SUM


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        (Tuple((Tensor(A), Tensor(B))), Tensor(AB)),
        (Tuple(()), PLAIN),
        (Listing(frozenset((ListRecord(0, ONE),))), ONE),
        (Listing(frozenset((FIRST,))), Unknown()),
        (Stream(ONE), ONE),
        (Dataset(ONE), ONE),
        (Loader(ONE, Dataset(TWO)), ONE),
        (Opaque(PARAMETER), Opaque(PARAMETER, part=True)),
        (Tensor(A, "int64", scalar=True, raw=False), Tensor(A, "int64", raw=False)),
        (beside(Tensor(A, constant=True), OR_NONE), Tensor(A, constant=True)),
        (Tensor(A, computed=True, near=B), Tensor(A, computed=True)),
        (Array("int64", A, B, 2), Array("int64", A, B, 1)),
        (Array("int64", A, B, 1), Array("int64", A, B)),
        (Mapping(frozenset((DictRecord(0),))), PLAIN),
        (Plain(reads=True), Plain(reads=True)),
        (SIZES, NUMBER),
        (PLAIN, PLAIN),
        (Const("text"), PLAIN),
        (SUM, None),
    ],
)
def test_what_iteration_gives(value: Value, inside: Value | None) -> None:
    assert element(value) == inside


def test_tensors_are_found_however_deep() -> None:
    value: Value = Tensor(A)
    for _ in range(40):
        value = Tuple((PLAIN, value))
    assert tensors_in(value) == (Tensor(A),)
    assert tensors_in(Stream(value)) == (Tensor(A),)


def test_dicts_that_hold_each_other_are_looked_through_once() -> None:
    records = [DictRecord(number) for number in range(60)]
    each = [Mapping(frozenset((record,))) for record in records]
    for record in records:
        record.items = {"x": Tensor(A), **dict(enumerate(each))}
    assert set(tensors_in(each[0])) == {Tensor(A)}
    assert len(parts_in(each[0])) == len(records)


def test_tensors_are_found_in_every_container() -> None:
    listing = Listing(frozenset((ListRecord(0, Tensor(A)), ListRecord(1))))
    mapping = Mapping(frozenset((DictRecord(0, {"key": Tensor(A), 1: ONE}, Tensor(B)),)))
    assert tensors_in(listing) == (Tensor(A),)
    assert tensors_in(mapping) == (Tensor(A), Tensor(B))
    assert tensors_in(Stream(Tensor(B))) == (Tensor(B),)
    assert tensors_in(Instance(frozenset((ObjectRecord(0, X),)))) == ()


def test_items_are_exact_where_there_is_one_list_that_nobody_has_changed() -> None:
    known = ListRecord(0, PLAIN, (ONE, TWO))
    assert exact_items(Tuple((ONE, TWO))) == (ONE, TWO)
    assert exact_items(Listing(frozenset((known,)))) == (ONE, TWO)
    assert exact_items(Listing(frozenset((FIRST,)))) == ()
    assert exact_items(Listing(frozenset((known, SECOND)))) == ()


def test_leaves_are_found_however_deep() -> None:
    value: Value = Tuple((ONE, Tensor(A)))
    for _ in range(3):
        value = Stream(value)
    assert parts_in(value) == (ONE, Tensor(A))
    assert tensor_parts(value) == (Tensor(A),)
    assert parts_in(Stream(Stream(value))) == (ONE, Tensor(A))
    assert parts_in(ONE) == (ONE,)
    assert tensor_parts(Tensor(A)) == (Tensor(A),)
    assert tensor_parts(ONE) == ()


def test_leaves_are_found_in_every_container() -> None:
    exact, grown = ListRecord(0, PLAIN, (ONE, TWO)), ListRecord(1, Tensor(A))
    mapping = DictRecord(0, {"key": ONE}, Tensor(B))
    assert parts_in(Listing(frozenset((exact,)))) == (ONE, TWO)
    assert parts_in(Listing(frozenset((grown,)))) == (Tensor(A),)
    assert parts_in(Listing(frozenset((FIRST,)))) == ()
    assert parts_in(Mapping(frozenset((mapping,)))) == (ONE, Tensor(B))
    assert parts_in(Mapping(frozenset((DictRecord(0),)))) == ()


@pytest.mark.parametrize(
    "value",
    [
        FUNCTION,
        Bound(PLAIN, "method", FUNCTION),
        Partial(FUNCTION, (), ()),
        Partial(SUM, (ONE, FUNCTION), ()),
        OneOf((SUM, FUNCTION)),
        Tuple((ONE, FUNCTION)),
        Stream(FUNCTION),
    ],
)
def test_what_holds_a_function_is_new_in_each_pass(value: Value) -> None:
    assert is_update(value, value)


@pytest.mark.parametrize(
    "value",
    [ONE, SUM, Bound(PLAIN, "method"), Partial(SUM, (ONE,), ()), Tuple((ONE,)), Stream(ONE)],
)
def test_all_else_is_new_where_it_is_another(value: Value) -> None:
    assert not is_update(value, value)
    assert is_update(None, value)
    assert is_update(Tensor(A), value)


def test_how_deep_containers_lie_in_each_other() -> None:
    record = ListRecord(0)
    record.element = Listing(frozenset((record,)))
    assert nesting(ONE) == 0
    assert nesting(Tuple((ONE, Stream(Tuple(()))))) == 3
    assert nesting(record.element) == 6


def test_streams_of_streams_end_somewhere() -> None:
    value: Value = ONE
    for _ in range(4):
        value = Stream(value)
    assert join(Tuple((value,)), Stream(value)) == Stream(value)
    deeper = join(Tuple((Stream(value),)), Stream(Stream(value)))
    for _ in range(5):
        assert isinstance(deeper, Stream)
        deeper = deeper.element
    assert isinstance(deeper, Unknown)
    assert deeper.reason == "deeply nested"


def test_a_list_in_itself_is_joined_with_what_holds_it() -> None:
    """``xs.append((xs,))``, then ``xs if c else (xs,)``."""
    record = ListRecord(0)
    held = Listing(frozenset((record,)))
    record.element = Tuple((held,))
    for first, second in ((held, Tuple((held,))), (Tuple((held,)), Tuple((Tuple((held,)),)))):
        for one, other in ((first, second), (second, first)):
            assert tensors_in(join(one, other)) == ()


def test_a_list_that_may_hold_itself_is_joined_to_a_certain_depth(
    moves: Callable[[str], list[str]],
) -> None:
    program = """
        class Index:
            def encode(self, queries):
                return torch.cat(rows, 0)
            def search(self, queries, k):
                if not self.fast:
                    if isinstance(queries, list):
                        combined = []
                        for query in queries:
                            found = self.search(query, k)
                            combined.append(found)
                        return combined
                    return found
                else:
                    encoded = self.encode(queries)
                    distance, at = self.index["index"].search(encoded.astype(np.float32), k)
                    def pack(dist, at):
                        found = [(self.index["names"][i], s) for i, s in zip(at, dist)]
                        return found
                    if isinstance(queries, list):
                        combined = []
                        for i in range(len(queries)):
                            found = pack(distance[i], at[i])
                            combined.append(found)
                        return combined
                    else:
                        return pack(distance[0], at[0])
        for i, found in enumerate(Index().search(queries, 3)):
            pass
        """
    assert moves(program) == []
