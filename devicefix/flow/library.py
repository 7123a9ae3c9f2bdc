"""Calls into libraries: torch by its tables, the others by the world they belong to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import reduce

from msgspec.structs import replace

from devicefix.flow.averaging import UPDATE, averaged, update_statistics
from devicefix.flow.construction import whereabouts
from devicefix.flow.copies import copied, copied_by_class
from devicefix.flow.creation import (
    make_device,
    make_generator,
    make_sparse,
    make_tensor,
    make_typed,
)
from devicefix.flow.data import call_data
from devicefix.flow.dimensions import keeps_dimensions
from devicefix.flow.dtypes import check_strict
from devicefix.flow.escapes import callables_in, hand_over_all, let_call_back, near_of, reached
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.heaps import call_heap, note_order
from devicefix.flow.host_arguments import (
    draw_on_host,
    fill_on_host,
    host_generator,
    need_cpu,
)
from devicefix.flow.importing import sharing_process
from devicefix.flow.iteration import dict_of, exact_list, iterated, new_dict, new_list
from devicefix.flow.joins import (
    element,
    exact_items,
    flat_of,
    join,
    join_all,
    parts_in,
    tensor_parts,
    tensors_in,
)
from devicefix.flow.library_modules import is_stateless_layer, make_library_module
from devicefix.flow.literals import note_literal
from devicefix.flow.memory import fresh, write_memory
from devicefix.flow.modules import below, make_layer
from devicefix.flow.numeric import call_numpy
from devicefix.flow.operands import (
    INTEGERS,
    Operand,
    as_tensor,
    combine,
    note_dtype_use,
    of_either,
    optional,
    shown,
)
from devicefix.flow.optimizers import make_optimizer
from devicefix.flow.parallel import AVERAGED
from devicefix.flow.parametrizing import parametrize
from devicefix.flow.process_defaults import Default
from devicefix.flow.saving import loaded, note_pickled, note_saved
from devicefix.flow.scripting import SCRIPTING, note_scripted
from devicefix.flow.scripts import is_unconditional
from devicefix.flow.tensors import placed, write_in_place
from devicefix.flow.tokenizers import call_tokenizer
from devicefix.flow.transforms import call_transform
from devicefix.flow.unfollowed import assign_to_class
from devicefix.flow.values import (
    NONE,
    PLAIN,
    Array,
    Bound,
    Class,
    Const,
    Dataset,
    Device,
    External,
    Flag,
    Flat,
    Function,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Opaque,
    Optimizer,
    Partial,
    Plain,
    Stream,
    Tensor,
    Tuple,
    TupleClass,
    Unknown,
    Value,
    as_device,
    is_none,
)
from devicefix.flow.workers import call_workers
from devicefix.torch_api import (
    LEGACY_CONSTRUCTORS,
    LIKE,
    LOSS_WEIGHTS,
    NO_TENSORS,
    NUMBERS_TOO,
    OPEN_POSITIONS,
    OPTIONAL,
    SPARSE_TYPES,
    STORAGES,
    TENSOR_POSITIONS,
    TENSOR_SINCE,
    Result,
    World,
    data_kind,
    factory,
    function,
    has_tables,
    is_optimizer,
    is_scheduler,
    layer,
    makes_dataset,
    makes_module,
    recomputes_weights,
    reports,
    takes_device,
    world,
)
from devicefix.torch_api import Function as Row

_HEAVY = frozenset({
    "addmm", "baddbmm", "bmm", "cdist", "chain_matmul", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "einsum", "linear", "matmul", "mm",
    "multi_dot", "scaled_dot_product_attention", "tensordot",
})  # fmt: skip
_CHAINS = frozenset({"torch.cat", "torch.concat", "torch.concatenate", "torch.hstack"})
_WRAPPERS = frozenset({
    "torch.autograd.Variable", "torch.nn.Buffer", "torch.nn.Parameter", "torch.nn.parameter.Buffer",
    "torch.nn.parameter.UninitializedParameter",
})  # fmt: skip
_CLIPPING = frozenset(
    f"torch.nn.utils.{name}"
    for name in ("clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_")
)
"""These write the gradients of the parameters that they are given."""
_AVAILABLE = frozenset({"torch.accelerator.is_available", "torch.cuda.is_available"})
_STREAMS = frozenset({
    "heapq.nlargest", "heapq.nsmallest", "itertools.chain", "itertools.chain.from_iterable",
    "itertools.combinations", "itertools.compress", "itertools.cycle", "itertools.dropwhile",
    "itertools.filterfalse", "itertools.islice", "itertools.permutations",
    "itertools.product", "itertools.repeat", "itertools.takewhile", "random.choices",
    "random.sample",
})  # fmt: skip
_CHOOSING = frozenset({
    "random.choice", "statistics.median", "statistics.median_high", "statistics.median_low",
    "statistics.mode",
})  # fmt: skip
"""What gives one of the items that it is given, or what is between two."""
_LISTS = frozenset({
    "asyncio.LifoQueue", "asyncio.PriorityQueue", "asyncio.Queue", "collections.UserList",
    "collections.deque", "queue.LifoQueue", "queue.PriorityQueue", "queue.Queue",
    "queue.SimpleQueue",
})  # fmt: skip
_DICTS = frozenset({
    "collections.Counter", "collections.OrderedDict", "collections.defaultdict",
    "weakref.WeakKeyDictionary", "weakref.WeakValueDictionary",
})  # fmt: skip
_OPERATORS = frozenset(
    f"operator.{name}"
    for name in (
        *("add", "and_", "eq", "floordiv", "ge", "gt", "le", "lt", "matmul", "mod", "mul", "ne"),
        *("or_", "pow", "sub", "truediv", "xor"),
    )
)
_CARRIERS = frozenset({
    "asyncio", "collections", "concurrent", "contextvars", "dataclasses", "functools", "heapq",
    "itertools", "operator", "types", "weakref",
})  # fmt: skip
"""Modules of Python whose functions give back, or compute with, what they were given."""
_COPIES = frozenset(("copy.copy", "copy.deepcopy"))
_SAME = frozenset({
    "contextlib.closing", "contextlib.nullcontext", "copy.copy", "functools.update_wrapper",
    "progressbar.progressbar", "rich.progress.track", "weakref.proxy",
    "torch.compile", "torch.fx.symbolic_trace", "torch.jit.script", "torch.jit.script_if_tracing",
    "torch.nn.utils.parametrizations.orthogonal", "torch.nn.utils.parametrizations.spectral_norm",
    "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.parametrize.remove_parametrizations", "torch.nn.utils.spectral_norm",
    "torch.nn.utils.weight_norm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.rich.tqdm",
    "tqdm.tqdm", "typing.assert_type", "typing_extensions.assert_type",
})  # fmt: skip
"""What is given first comes back."""
_AWAITED = frozenset({"asyncio.run", "asyncio.shield", "asyncio.wait_for"})
"""Whoever waits for these gets what the coroutine returns."""
_TRANSFORMING = frozenset({"torch.vmap"}) | frozenset(
    f"torch.func.{name}"
    for name in ("grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "linearize", "vmap")
)
"""These make another function of the one that they are given."""
_LOADING = frozenset({"marshal.load", "marshal.loads", "pickle.load", "pickle.loads"})
"""What they give may be anything."""
_HOLDERS = frozenset({
    "asyncio.Future", "concurrent.futures.Future", "contextlib.AsyncExitStack",
    "contextlib.ExitStack", "contextvars.ContextVar", "operator.attrgetter", "shelve.open",
    "threading.local",
})  # fmt: skip
"""What these make may hold anything later."""


def call_library(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    """What a call of the library name ``name`` gives."""
    if (started := call_workers(frame, tree, name, args)) is not None:
        return started
    if recomputes_weights(name):
        _note_recomputed(frame, args)
    note_order(frame, name, args)
    where = world(name)
    if name in _TRANSFORMING:
        return _unknown(frame, tree, name, args)
    if name.startswith("torch.") and where is World.TORCH:
        return _call_torch(frame, tree, name, args)
    _note_handed(frame, name, args)
    if (special := _call_standard(frame, tree, name, args)) is not None:
        return special
    if (special := call_transform(frame, tree, name, args)) is not None:
        return special
    if (special := call_tokenizer(frame, tree, name, args)) is not None:
        return special
    if makes_module(name) or is_stateless_layer(name):
        return make_library_module(frame, tree, name, args)
    if makes_dataset(name):
        sample = Tuple(
            (frame.host_tensor(tree, "sample"), frame.host_tensor(tree, "target", dtype="int64"))
        )
        table = frame.host_tensor(tree, "table") if has_tables(name) else None
        return Dataset(sample, replace(table, constant=False) if table is not None else None)
    if reports(name):
        _bring_to_modules(frame, tree, args)
        return PLAIN
    if where is World.TORCH:
        return _follow(frame, tree, name, args)
    if where is World.NUMPY and not _passes_on(args):
        return call_numpy(frame, tree, name, args)
    if where is World.ANYWHERE:
        note_pickled(frame, tree, name, args)
        let_call_back(frame, tree, name, args)
        if tree in frame.analysis.gives_back:
            return Unknown(f"{name} is passed a function that returns tensors")
        if any(reached(value) for _, value in args.all()):
            return Unknown(f"{name} may return its argument", near_of(args))
        return Plain(
            choice=name.startswith(("argparse", "click", "os.", "yaml", "json", "configargparse"))
        )
    return _unknown(frame, tree, name, args)


def _passes_on(args: Arguments) -> bool:
    """``scipy.optimize.minimize(f, x0, args=(images,))``: what a container holds is for ``f``."""
    values = [value for _, value in args.all()]
    packed = any(tensors_in(value) for value in values if not isinstance(value, Tensor))
    return packed and any(any(callables_in(value)) for value in values)


def _note_recomputed(frame: Frame, args: Arguments) -> None:
    """``weight_norm(layer)``: of which layer may not be known, if each of a list is."""
    layers = [value for _, value in args.all() if isinstance(value, Instance)]
    frame.seen.recomputes = frame.seen.recomputes or not layers
    for record in (record for value in layers for record in value.modules):
        record.recomputed = True


def _unknown(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    reason = f"{name} was not analysed"
    hand_over_all(frame, tree, args, reason)
    return Unknown(reason, near_of(args), foreign=True)


def _follow(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    result = combine(frame, tree, args.all())
    return result if result is not None else Unknown(f"the result of {name}")


def _options(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    record, _ = frame.analysis.object_record((frame.context, tree, "options"), tree)
    record.namespace = True
    for key, (_, value) in args.keywords:
        if key is not None:
            frame.store(record, key, value)
        elif isinstance(value, Mapping) and all(each.element is None for each in value.records):
            for name, held in ((k, v) for each in value.records for k, v in each.items.items()):
                frame.store(record, str(name), held)
        elif not isinstance(value, Plain):
            reason = "a namespace with unknown names"
            hand_over_all(frame, tree, args, reason)
            return Unknown(reason, near_of(args))
    return Instance(frozenset((record,)))


def _call_standard(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """The few functions of the standard library that pass tensors on."""
    if name in _COPIES and args.positional:
        own = copied_by_class(frame, tree, args.positional[0][1], name == "copy.deepcopy")
        if own is not None:
            return own
    if name == "unittest.mock.patch.object" and isinstance(cls := args.value(0, "target"), Class):
        named, given = args.value(1, "attribute"), args.value(2, "new") or Unknown("a mock")
        assign_to_class(frame, tree, cls.record, str(getattr(named, "value", "")), given)
    if name == "weakref.ref" and args.positional:
        return Partial(External("typing.cast"), (PLAIN, args.positional[0][1]), ())
    if name == "types.MethodType":
        return _bound_method(args) or _unknown(frame, tree, name, args)
    if name == "copy.deepcopy" and args.positional:
        made = copied(frame, tree, args.positional[0][1])
        return replace(made, computed=True) if isinstance(made, Tensor) else made
    if name in _SAME and args.positional:
        return args.positional[0][1]
    if name in _AWAITED and isinstance(coroutine := args.value(0), Stream):
        return coroutine.element if name == "asyncio.run" else coroutine
    if name == "asyncio.gather":
        results = tuple(v.element if isinstance(v, Stream) else v for _, v in args.positional)
        exact = all(expr is not None for expr, _ in args.positional)
        if exact:
            return Stream(exact_list(frame, tree, results))
        return Stream(new_list(frame, tree, join_all(results)))
    if name in ("array.array", "mmap.mmap"):
        return fresh(frame, tree, None)  # `torch.frombuffer` looks into it as into an array
    if name == "functools.wraps" and args.positional:
        return Partial(External("functools.update_wrapper"), (), ())
    if name in ("typing.cast", "typing_extensions.cast"):
        return args.value(1, "val")
    if name in _LOADING:
        return Unknown(f"the result of {name}", foreign=True)
    if (kept := call_heap(frame, tree, name, args)) is not None:
        return kept
    if name in _STREAMS:
        return Stream(join_all(_elements(frame, tree, args)))
    if name in _LISTS:
        inner = join_all(_elements(frame, tree, args)) if args.positional else None
        return new_list(frame, tree, inner)
    if name in _DICTS:
        first = args.value(0)
        if isinstance(first, Mapping):
            return first
        if name == "collections.OrderedDict":
            return dict_of(frame, tree, args)
        rest = None
        if name == "collections.defaultdict" and isinstance(first, (Function, External)):
            rest = frame.call(tree, first, Arguments())
        return new_dict(frame, tree, {k: v for k, (_, v) in args.keywords if k}, rest)
    if name.startswith("math."):
        return Const(1.5)  # some number
    if name in _OPERATORS and any(tensors_in(value) for _, value in args.all()):
        together = name.endswith("matmul")
        return combine(frame, tree, args.all(), pointwise=not together) or PLAIN
    if name == "dataclasses.field":
        maker = args.value(None, "default_factory")
        first = frame.call(tree, maker, Arguments()) if maker is not None else None
        return first or args.value(None, "default") or Unknown("a field without a default")
    if name in _CHOOSING and args.positional:
        return iterated(frame, tree, args.positional[0][1])
    if name == "functools.reduce" and len(args.positional) >= 2:
        _, iterable = args.positional[1]
        return _folded(frame, tree, args.value(0), iterable, args.value(2, "initial"))
    if name == "itertools.accumulate" and args.positional:
        function, first = args.value(1, "func"), args.value(None, "initial")
        return Stream(_folded(frame, tree, function, args.positional[0][1], first))
    if name == "itertools.starmap" and len(args.positional) == 2:
        rows = iterated(frame, tree, args.positional[1][1])
        row = Arguments([(None, item) for item in exact_items(rows)], rest=_unpacked(rows))
        return Stream(frame.call(tree, args.positional[0][1], row))
    if name == "itertools.zip_longest":
        fill = args.value(None, "fillvalue") or NONE
        parts = (iterated(frame, tree, value) for _, value in args.positional)
        return Stream(Tuple(tuple(join(part, fill) for part in parts)))
    if name == "collections.namedtuple":
        return _tuple_class(args)
    if name in ("argparse.Namespace", "types.SimpleNamespace"):
        return _options(frame, tree, args)
    carries = name.partition(".")[0] in _CARRIERS and any(
        reached(v) or any(callables_in(v)) for _, v in args.all()
    )
    if carries or name in _HOLDERS:
        return _unknown(frame, tree, name, args)
    return None


def _unpacked(row: Value) -> tuple[int, Value] | None:
    """What the arguments may be that ``*row`` stands for, if they are not known one by one."""
    return None if exact_items(row) else (0, element(row) or Unknown("unpacked arguments"))


def _bound_method(args: Arguments) -> Value | None:
    """``types.MethodType(function, object)``."""
    function, receiver = args.value(0), args.value(1)
    if not isinstance(function, Function) or receiver is None:
        return None
    return Bound(receiver, getattr(function.tree, "name", "a lambda"), function)


def _folded(
    frame: Frame, tree: ast.expr, function: Value | None, iterable: Value, first: Value | None
) -> Value:
    """What comes of the elements one after the other, beginning with ``first``; by addition where
    no ``function`` is given."""
    part = element(iterable) or Unknown()
    so_far = join(first, part) if first is not None and not is_none(first) else part
    operands: list[Operand] = [(None, so_far), (None, part)]
    if function is None or is_none(function):
        return combine(frame, tree, operands, pointwise=True) or so_far
    return join(so_far, frame.call(tree, function, Arguments(operands)))


def _tuple_class(args: Arguments) -> Value:
    fields = args.value(1, "field_names")
    if isinstance(fields, Const) and isinstance(fields.value, str):
        return TupleClass(tuple(fields.value.replace(",", " ").split()))
    names = [p.value for p in parts_in(fields) if isinstance(p, Const)] if fields else []
    if names and all(isinstance(name, str) for name in names):
        return TupleClass(tuple(map(str, names)))
    return Unknown("a named tuple")


def _elements(frame: Frame, tree: ast.expr, args: Arguments) -> list[Value]:
    values = [v for _, v in args.positional if not isinstance(v, (Const, Plain))]
    return [iterated(frame, tree, v) for v in values]


# -- torch -------------------------------------------------------------------------------------


def _call_torch(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    _note_devices(frame, args)
    if name in STORAGES:
        return Plain(storage=True)
    if name in LEGACY_CONSTRUCTORS:
        return make_typed(frame, tree, LEGACY_CONSTRUCTORS[name], args)
    if name in SPARSE_TYPES:
        return make_sparse(frame, tree, SPARSE_TYPES[name], args)
    if (made := factory(name)) is not None:
        return make_tensor(frame, tree, made, args)
    if name in LIKE:
        return _like(frame, tree, args)
    if (special := _call_special(frame, tree, name, args)) is not None:
        return special
    if (kind := data_kind(name)) is not None:
        return call_data(frame, tree, kind, name, args)
    if is_optimizer(name) or is_scheduler(name) or _is_of_optimizers(name):
        parts = [t.nodes for _, v in args.all() for t in tensors_in(v)]
        parts += [v.nodes for _, v in args.all() if isinstance(v, Optimizer)]
        nodes = frozenset().union(*parts)
        return make_optimizer(frame, tree, name, nodes) if is_optimizer(name) else Optimizer(nodes)
    last = name.rpartition(".")[2]
    if layer(name) is not None or (name.startswith("torch.nn.") and last[:1].isupper()):
        return make_layer(frame, tree, name, args)
    if name == "torch.nn.*":
        return make_layer(frame, tree, "torch.nn.Module", args)
    if makes_module(name):
        return make_library_module(frame, tree, name, args)
    row = function(name)
    if row is not None:
        return _call_function(frame, tree, name, row, args)
    if any(reached(value) or any(callables_in(value)) for _, value in args.all()):
        return _unknown(frame, tree, name, args)
    return PLAIN


def _is_of_optimizers(name: str) -> bool:
    return name.startswith("torch.optim.") and function(name) is None


def _note_devices(frame: Frame, args: Arguments) -> None:
    for key, (expr, value) in args.keywords:
        if key in ("device", "map_location"):
            note_literal(frame, expr, value)


def _note_handed(frame: Frame, name: str, args: Arguments) -> None:
    """Libraries on top of torch: what is a string stays one, for not all of them take a device."""
    for key, (_, value) in args.keywords:
        if isinstance(value, Const) and takes_device(name, key):
            frame.seen.device_strings |= value.written


def _like(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    expression, value = args.get(0, "input") or (None, Unknown())
    first = as_tensor(value, evidence=True, shown_by=expression)
    device = args.value(None, "device")
    if not isinstance(first, Tensor):
        return first if isinstance(first, Unknown) else Unknown("a tensor like another")
    if device is not None and not is_none(device):
        return placed(frame, tree, first, as_device(device))
    if host_generator(args):
        return draw_on_host(frame, tree, args.positional[:1])
    dtype = args.value(None, "dtype")
    asked = args.value(None, "requires_grad")
    constant = asked is None or asked == Const(False)
    made = first.dtype if dtype is None else None
    like = Tensor(first.nodes, made, first.scalar, raw=False, constant=constant, computed=True)
    return of_either(frame, first, like)


def _call_special(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    """Names whose meaning is more than a row can say."""
    if name in _AVAILABLE:
        return Flag()
    if (module := parametrize(frame, tree, name, args)) is not None:
        return module
    if name in (*_SAME, "torch.jit.trace") and args.positional:
        _bring_to_modules(frame, tree, args)
        if name in SCRIPTING:
            note_scripted(frame, args.positional[0][1])
        return args.positional[0][1]
    if name in ("torch.is_tensor", "torch.overrides.is_tensor_like"):
        value = args.value(0, "obj")
        if isinstance(value, Opaque) and not value.part:
            value.parameter.sifted = True
        if isinstance(value, Tensor) and value.maybe:
            return PLAIN
        known = isinstance(value, (Tensor, Plain, Const, Listing, Tuple, Mapping, Array))
        return Const(isinstance(value, Tensor)) if known else PLAIN
    if name == "torch.device":
        return make_device(frame, tree, args)
    if name in ("torch.cuda.current_device", "torch.accelerator.current_accelerator"):
        agnostic = "accelerator" in name
        return Device(Label.TARGET, agnostic=agnostic, typed=agnostic)
    if name == "torch.Generator":
        return make_generator(frame, args)
    if name in _WRAPPERS:
        return _wrapped(args, parameter="Variable" not in name, leaf="Parameter" in name)
    if name == "torch.set_default_device":
        _set_default_device(frame, tree, Default(args.value(0, "device")))
        return NONE
    if name in ("torch.set_default_dtype", "torch.set_default_tensor_type"):
        _set_default(frame, args)
        if name.endswith("_type"):
            _set_default_type(frame, tree, args)
        return NONE
    if name == "torch.load":
        return loaded(frame, tree, args)
    if name in ("torch.save", "torch.jit.save"):
        note_saved(frame, tree, args)
    if name.startswith("torch.nn.utils.rnn.pack_padded_sequence"):
        return _packed(frame, tree, args)
    if name == "torch.nn.utils.rnn.pad_packed_sequence":
        packed = combine(frame, tree, args.all(), evidence=True)
        packed = replace(packed, beside=packed.doubted) if packed is not None else None
        lengths = frame.host_tensor(tree, "lengths", dtype="int64")
        return Tuple((packed or Unknown("a packed sequence"), lengths))
    if name == AVERAGED:
        return averaged(frame, tree, args)
    if name == UPDATE:
        return update_statistics(frame, tree, args)
    if name in ("torch.nn.Module", "torch.jit.ScriptModule"):
        return make_layer(frame, tree, "torch.nn.Module", args)
    if name.startswith(
        (
            "torch.cuda.",
            "torch.backends.",
            "torch.multiprocessing",
            "torch.distributed",
            "torch.distributions",
            "torch.profiler",
            "torch.utils.tensorboard",
            "torch.hub",
        )
    ):
        return _apart(frame, tree, name, args)
    return None


def _apart(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value | None:
    if name.startswith("torch.distributions"):
        parameters = combine(frame, tree, optional(args.all()))
        if parameters is None:
            return Unknown("a distribution")
        # it is where its parameters are, but it is no tensor, and has no `.to`
        return replace(parameters, beside=replace(parameters.beside, other=True))
    if name.startswith("torch.hub"):
        return None
    row = function(name)
    for operand in args.listed(row.host_arguments) if row is not None else ():
        need_cpu(frame, operand)
    let_call_back(frame, tree, name, args)
    return PLAIN


def _wrapped(args: Arguments, *, parameter: bool, leaf: bool) -> Value:
    value = args.value(0, "data") or Unknown("a wrapped tensor")
    if not isinstance(value, Tensor):
        return value
    asked = args.value(1, "requires_grad")
    constant = not parameter and not leaf and (asked is None or asked == Const(False))
    known = (value.dtype, value.scalar, value.born, value.raw, parameter, leaf)
    return Tensor(value.nodes, *known, constant=constant, computed=value.computed)


def _set_default(frame: Frame, args: Arguments) -> None:
    given = args.value(0)
    text = getattr(given, "name", None) or getattr(given, "value", None)
    if isinstance(text, str) and ("float64" in text or "Double" in text):
        frame.analysis.default_float64 = True


def _set_default_type(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """A tensor type of CUDA carries every later factory there."""
    text = str(getattr(args.value(0), "name", None) or getattr(args.value(0), "value", None))
    row = LEGACY_CONSTRUCTORS.get(text)
    typed = row is not None and row.device == "cuda"
    if typed and isinstance(tree, ast.Call):
        frame.seen.default_types[tree] = text
    if row is None or not (typed or is_unconditional(frame.analysis.parents, tree)):
        return  # `if not args.cuda:` the default is of the host: it may be one of CUDA
    there = Device(Label.TARGET, agnostic=False) if typed else None
    lifted = frame.analysis.explicit
    made = Default(lifted=typed) if lifted else Default(there, typed=typed)
    _set_default_device(frame, tree, made)


def _set_default_device(frame: Frame, tree: ast.expr, default: Default) -> None:
    analysis, home = frame.analysis, frame.analysis.home(tree)
    reach = sharing_process(tree, home.path, analysis.program)
    analysis.process_defaults.set(home, default, reach)


def _packed(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    lengths = args.get(1, "lengths")
    if lengths is not None:
        need_cpu(frame, lengths)
    data = args.get(0, "input")
    result = combine(frame, tree, [data], evidence=True) if data else None
    # it has `.to` and `.data`, but it is no tensor, and has no `.device`
    if result is None:
        return Unknown("a packed sequence")
    return replace(result, beside=replace(result.beside, vague=True))


def _call_function(frame: Frame, tree: ast.expr, name: str, row: Row, args: Arguments) -> Value:
    """A torch function by its row: tensor operands together, host arguments on the host."""
    if name in _CLIPPING:
        nodes = (t.nodes for _, value in args.positional[:1] for t in tensors_in(value))
        write_memory(frame, frozenset().union(*nodes))
    host = args.listed(row.host_arguments)
    for operand in host:
        need_cpu(frame, operand)
    apart = [*host, *args.listed(row.free_arguments)]
    operands = [o for o in _tensor_arguments(row, args) if o not in apart]
    if row.host_only or (host_generator(args) and not row.in_place):
        drawn = draw_on_host(frame, tree, operands)
        return Tuple((drawn,) * len(row.parts)) if row.parts else drawn
    _bring_to_modules(frame, tree, args)
    if any(any(callables_in(value)) for _, value in args.all()):
        return _applied(frame, tree, name, args)
    clash = False
    if row.strict_dtype:
        operands, clash = check_strict(frame, operands)
    _note_weights(frame, name, args)
    if row.result is not Result.TENSOR:
        for _, value in operands:
            for tensor in tensors_in(value):
                note_dtype_use(frame, tree, tensor)
        if row.result is Result.NUMBER or row.same_device:
            combine(frame, tree, operands)
        if row.result is Result.NUMBER:
            return PLAIN
        return NONE if row.result is Result.NONE else PLAIN
    if TENSOR_SINCE.get(name, ()) > frame.analysis.program.oldest_torch.version:
        combine(frame, tree, operands)
        return Unknown("a number or a tensor, as torch is older or newer")
    written = _written(row, args, operands)
    operands = [o for o in operands if o not in written]
    result = combine(frame, tree, operands, pointwise=row.pointwise, strict=clash)
    if name.rpartition(".")[2] in _HEAVY:
        frame.analysis.anchor_arithmetic(frame, result)
    if models := args.listed(row.result_beside):
        return _made_beside(frame, tree, models[0])
    if written:
        return _write(frame, tree, args, written, operands, result)
    if result is None:
        return _of_unknown(name, row, operands)
    return of_either(frame, result, _typed_result(result, row, args, operands))


def _made_beside(frame: Frame, tree: ast.expr, model: Operand) -> Value:
    """A tuple of tensors that live where those of one argument do, one for each: gradients."""
    expression, value = model
    exact = [r.items for r in value.records] if isinstance(value, Listing) else []
    items = exact[0] if len(exact) == 1 else None
    if isinstance(value, Tuple):
        items = value.items
    if items is not None:
        made = [combine(frame, tree, [(None, item)], evidence=True) for item in items]
        return Tuple(tuple(one or Unknown("a gradient of an unknown value") for one in made))
    parts = tensors_in(value) if isinstance(value, Listing) else ()
    operands: list[Operand] = [(None, part) for part in parts] or [(expression, value)]
    joined = join_all(combine(frame, tree, [operand]) for operand in optional(operands))
    if isinstance(joined, Tensor):
        return replace(joined, scalar=False, flat=Flat.NO)  # it stands for all of them
    return joined


def _bring_to_modules(frame: Frame, tree: ast.expr, args: Arguments) -> None:
    """``torch.jit.trace(model, x)``, ``thop.profile(model, (x,))`` call the model: what it is given
    has to be where that is."""
    models = {r for _, v in args.positional if isinstance(v, Instance) for r in v.modules}
    records = {part for model in models for part in _moved_parts(model)}
    nodes = frozenset(whereabouts(frame, record) for record in records if record.stateful)
    if nodes and any(tensors_in(value) for _, value in args.all()):
        combine(frame, tree, [(None, Tensor(nodes, raw=False)), *args.all()])


def _moved_parts(model: ObjectRecord) -> Sequence[ObjectRecord]:
    """What the program moves of a model: the whole, or parts of it that go without the rest."""
    if Label.TARGET in model.moved_to | model.root.moved_to:
        return [model]
    return [part for part in below(model) if Label.TARGET in part.moved_to] or [model]


def _applied(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Value:
    """``jacobian(f, x)``, ``checkpoint(f, x)``: ``f`` gets tensors that live where ``x`` does."""
    beside = combine(frame, tree, optional(args.all()))
    given = Arguments(rest=(0, beside or Unknown(f"the arguments passed by {name}")))
    callees = [callee for _, value in args.all() for callee in callables_in(value)]
    results = [frame.call(tree, callee, given) for callee in callees]
    found = join_all([*results, beside])
    return replace(found, scalar=False) if isinstance(found, Tensor) else found


def _tensor_arguments(row: Row, args: Arguments) -> list[Operand]:
    """The arguments that may be tensors: ``torch.sum(x, dim)`` says of ``dim`` that it is none, as
    long as it does not show to be one, and ``torch.mul(x, y)`` nothing of ``y``."""
    known, unsure = TENSOR_POSITIONS.get(row.name), OPEN_POSITIONS.get(row.name, frozenset())
    spread = any(expression is None for expression, _ in args.positional)
    anywhere = known is None or spread
    found = list[Operand]()
    for at, (expression, value) in enumerate(args.positional):
        if anywhere or (known and at in known) or isinstance(value, Tensor):
            whole = isinstance(value, Opaque) and value.parameter.sized and not value.part
            sure = row.known and not spread and (at not in unsure or whole)
            found.append((expression, shown(expression, value, evidence=sure)))
    for key, (expression, value) in args.keywords:
        if key is None or not _is_number(key, value):
            sure = row.known and key not in OPTIONAL
            found.append((expression, shown(expression, value, evidence=sure)))
    return found


def _is_number(key: str, value: Value) -> bool:
    """Whether an argument shows no tensor: ``torch.histc(x, bins=n)`` with a parameter ``n``."""
    unknown = isinstance(value, Opaque) and not value.parameter.tensor
    return key in NO_TENSORS or (unknown and key in NUMBERS_TOO)


def _written(row: Row, args: Arguments, operands: list[Operand]) -> list[Operand]:
    """The arguments that the call writes: what it fills, and where it puts its result."""
    first = operands[0] if operands else None
    fills = row.in_place or args.value(None, "inplace") == Const(True)
    found = [first if fills else None, args.get(None, "out")]
    return [
        o for o in found if o is not None and not is_none(o[1]) and not isinstance(o[1], Unknown)
    ]


def _write(
    frame: Frame,
    tree: ast.expr,
    args: Arguments,
    written: list[Operand],
    operands: list[Operand],
    result: Tensor | None,
) -> Value:
    """What a call writes stays what it is: a transferred copy would be written, and lost.

    What it reads has to come there; ``result`` is what all of that makes.
    """
    last: Value = NONE
    for expression, value in written:
        last = as_tensor(value, evidence=True, shown_by=expression)
        note_dtype_use(frame, tree, last)
        for tensor in tensors_in(last):
            if host_generator(args):
                fill_on_host(frame, tree, tensor)
            write_in_place(frame, tree, tensor, [(None, result)] if result is not None else [])
            _meet_unknown(frame, tree, tensor, operands)
    return last


def _meet_unknown(
    frame: Frame, tree: ast.expr, tensor: Tensor, operands: Iterable[Operand]
) -> None:
    for expr, value in operands:
        if isinstance(value, Unknown):
            for node in tensor.nodes:
                frame.meet(node, expr or tree, value.reason or "an unknown value")


def _note_weights(frame: Frame, name: str, args: Arguments) -> None:
    """``weight=`` and ``pos_weight=`` of a functional loss."""
    for position, keyword in LOSS_WEIGHTS.get(name.removeprefix("torch.nn.functional."), ()):
        operand = args.get(position, keyword)
        if operand is not None and operand[0] is not None:
            frame.seen.loss_weights.add(operand[0])


def _of_unknown(name: str, row: Row, operands: list[Operand]) -> Value:
    """Of what unknown code returned, torch's functions make tensors at an unknown place."""
    values = [v for _, v in operands if isinstance(v, (Unknown, Opaque))]
    near = frozenset[int]().union(*(v.near for v in values if isinstance(v, Unknown)))
    if row.known and near:
        return Tensor(frozenset(), raw=False, near=near)
    return values[0] if values else Unknown(f"the result of {name}")


def _typed_result(result: Tensor, row: Row, args: Arguments, operands: Sequence[Operand]) -> Tensor:
    named = {k for k, _ in args.keywords}
    without_dim = len(args.positional) <= 1 and not named & {"dim", "axis"}
    scalar = {
        "always": True,
        "reduced": not _unreduced(args),
        "never": False,
        "without dim": without_dim and not keeps_dimensions(args),
        "as inputs": result.scalar,
    }[row.zero_dim]
    dtype = result.dtype
    if row.result_dtype in ("int64", "bool", "float32", "float64"):
        dtype = row.result_dtype
    elif row.result_dtype != "operands" and dtype not in ("float32", "float64"):
        dtype = "float32" if row.result_dtype == "float" and dtype else None
    if row.parts:
        dtype = None
    return Tensor(
        result.nodes,
        dtype,
        scalar,
        result.born,
        raw=False,
        constant=result.constant or (row.result_dtype in INTEGERS and not row.parts),
        computed=not row.view,
        flat=_flat(result, row, operands),
    )


def _flat(result: Tensor, row: Row, operands: Sequence[Operand]) -> Flat:
    """What keeps the dimensions of one tensor keeps those of a flat one; so does ``torch.cat``.

    That takes tensors of as many dimensions, and passes over empty ones of another number.
    """
    if row.parts or not (row.zero_dim == "as inputs" or row.name in _CHAINS):
        return Flat.NO
    parts = [p for _, v in operands for p in tensor_parts(v)]
    if len(parts) > 1 and row.name not in _CHAINS:
        return result.flat if row.pointwise else min(result.flat, Flat.SURE)
    found = reduce(flat_of, (p.flat for p in parts)) if parts else Flat.NO
    some = row.name in _CHAINS and any(p.flat >= Flat.SURE for p in parts)
    found = max(found, Flat.LIKELY) if some else found
    return found if row.pointwise else min(found, Flat.SURE)


def _unreduced(args: Arguments) -> bool:
    if args.value(None, "reduce") not in (None, Const(True)):
        return True
    reduction = args.value(None, "reduction")
    return reduction is not None and reduction != Const("mean") and reduction != Const("sum")
