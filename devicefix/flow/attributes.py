"""What ``holder.name`` is, for every kind of holder."""

from __future__ import annotations

import ast
from functools import lru_cache

from msgspec.structs import replace

from devicefix.flow import autograd
from devicefix.flow.computed_names import computed, with_computed
from devicefix.flow.construction import is_early, is_unfinished, part_of, whereabouts
from devicefix.flow.descriptors import asked_of_descriptor, class_of, computed_by_class, defines
from devicefix.flow.dicts import put_item, put_rest
from devicefix.flow.dtype_names import DTYPES
from devicefix.flow.encodings import attribute_of_encoding, is_encoding
from devicefix.flow.escapes import hand_over, has_unseen_base
from devicefix.flow.files import forced, member
from devicefix.flow.frame import WEIGHTS, Frame
from devicefix.flow.imported import origins
from devicefix.flow.iteration import new_dict
from devicefix.flow.joins import join, join_all, unsure
from devicefix.flow.operands import as_tensor, note_dtype_use
from devicefix.flow.optimizers import groups_of, state_of
from devicefix.flow.outputs import is_output, part_of_output, something_of
from devicefix.flow.parallel import WRAPPERS
from devicefix.flow.parametrizing import recompute
from devicefix.flow.registries import fitting
from devicefix.flow.unfollowed import let_go
from devicefix.flow.values import (
    NONE,
    PLAIN,
    SIZES,
    Array,
    Beside,
    Bound,
    Class,
    Const,
    Dataset,
    Device,
    Dtype,
    Either,
    External,
    File,
    Folder,
    Function,
    Generator,
    Instance,
    Listing,
    Loader,
    Mapping,
    ObjectRecord,
    Opaque,
    Optimizer,
    Plain,
    Residence,
    Stream,
    Tensor,
    Tuple,
    Unknown,
    Value,
    as_device,
    is_none,
    is_text,
)
from devicefix.source import Source
from devicefix.torch_api import (
    ATTRIBUTES,
    MODULE_ATTRIBUTES,
    NUMBERS,
    OBJECTS,
    OF_ARRAYS,
    ONLY_TENSOR,
    ONLY_TENSOR_BESIDE_PANDAS,
    OTHER_TENSORS,
    PARTS,
    STATISTICS,
    TABLES,
    canonical,
    layer,
    method,
)

_CONSTANTS = frozenset({
    "math.e", "math.inf", "math.nan", "math.pi", "numpy.e", "numpy.inf", "numpy.nan", "numpy.pi",
    "torch.inf", "torch.nan", "torch.pi",
})  # fmt: skip
MODULE_METHODS = frozenset({
    "eval", "modules", "named_parameters", "parameters", "state_dict", "train", "zero_grad",
})  # fmt: skip
"""What modules have and tensors have not."""
_REGISTERED = ("_buffers", "_modules", "_parameters")
"""What holds the parts of a module by their names, which are attributes as well."""
_OF_OTHERS = ("container", "wrapper")
"""Kinds of layer that are made of others."""
_OF_WEIGHTS = frozenset({"named_parameters", "parameters", "state_dict", "zero_grad"})
"""What nobody asks of a module that has no parameters."""
_SIZES = frozenset({
    "embedding_dim", "hidden_size", "in_channels", "in_features", "kernel_size", "num_embeddings",
    "num_features", "num_layers", "out_channels", "out_features", "padding", "stride",
})  # fmt: skip


def attribute_of(frame: Frame, tree: ast.Attribute, holder: Value) -> Value:
    """The value of ``tree``, whose left side is ``holder``."""
    name = tree.attr
    match holder:
        case External(name=prefix):
            known = external_attribute(f"{prefix}.{name}")
            dotted = known.name if isinstance(known, External) else ""
            return frame.analysis.exchanged.get(dotted, known)
        case File() if name == "__dict__" and (called := _called_at_once(frame, tree, holder)):
            return new_dict(frame, tree, called)
        case File() | Folder():
            return forced(frame, member(frame, holder, name))
        case Tensor():
            return _tensor_attribute(frame, tree, holder, name)
        case Opaque():
            return _opaque_attribute(frame, tree, holder, name)
        case Instance() if name == "__dict__":
            return attributes_of(frame, tree, holder)
        case Instance() if holder.modules and name in _REGISTERED:
            return _registered(frame, tree, holder)
        case Instance() if any(record.unfollowed for record in holder.records):
            return let_go(frame, tree, holder, max(r.unfollowed for r in holder.records))
        case Instance() if name == "__class__" and (cls := class_of(holder)) is not None:
            return cls
        case Instance():
            for record in holder.records:
                recompute(frame, tree, record, name)
            shared = _shared_attribute(frame, tree, holder)
            return _part_of_layer(frame, tree, holder, shared) or shared
        case Function(tree=function):
            held = frame.analysis.awaited_result(("attribute", function, name))
            return held if held is not None else Bound(holder, name)
        case Class(record=record):
            found = record.lookup(name) if name not in record.fields else None
            shown = asked_of_descriptor(frame, tree, found, NONE, record)
            return shown if shown is not None else _class_attribute(holder, found, name)
        case Generator():
            return holder.device if name == "device" else Bound(holder, name)
        case Optimizer() if name == "optimizer":
            return holder  # that of a scheduler
        case Optimizer() if name == "param_groups":
            return groups_of(frame, holder)
        case Optimizer() if name == "state":
            return state_of(frame, holder)
        case Device() if name == "index":
            return replace(PLAIN, beside=Beside(none=True))  # that of the CPU has none
        case Device():
            return PLAIN if name == "type" else Bound(holder, name)
        case Array():
            return _array_attribute(frame, tree, holder)
        case Loader() if name == "dataset":
            return holder.dataset
        case Dataset(element=Tuple() as sample) if name == "tensors":
            return sample
        case Dataset(table=Tensor() as table) if name in TABLES:
            return replace(table, dtype=TABLES[name])
        case Either():
            parts = [part for part in unsure(holder) if not _lacks(part, name)]
            return join_all(attribute_of(frame, tree, p) for p in parts or unsure(holder))
        case Unknown():
            return _unseen_tensor(frame, tree, holder) or holder
        case Tuple(items=items, names=names) if name in names:
            return items[names.index(name)]
        case Tuple() | Listing() | Stream() if name == "shape":
            return SIZES  # what has one is what may come in its place
        case Bound(receiver=Array()):
            # `frame.loc`, `env.action_space`: parts of an object that works on arrays
            return Bound(Array(None), name)
        case Plain():
            return holder
        case _:
            return Bound(holder, name)


def _called_at_once(frame: Frame, tree: ast.Attribute, holder: File) -> dict[object, Value]:
    """What ``models.__dict__[name](…)`` may call."""
    item = frame.analysis.parents.get(tree)
    return fitting(frame, item, holder) if isinstance(item, ast.Subscript) else {}


def _lacks(value: Value, name: str) -> bool:
    """``batch.x`` of what may be a tuple: whoever asks has something else."""
    if isinstance(value, Tuple) and value.names:
        return name not in value.names and not hasattr(tuple, name)
    return isinstance(value, Tuple) and not hasattr(tuple, name)


def attributes_of(frame: Frame, tree: ast.expr, holder: Instance) -> Value:
    """``vars(x)``, ``x.__dict__``: what its attributes hold, by their names."""
    made = new_dict(frame, tree, _attributes(frame, holder))
    for shown in made.records:
        shown.shows |= holder.records
        for name in _REGISTERED if holder.modules else ():
            put_item(frame, shown, name, _registered(frame, tree, holder), making=True)
    return made


def _attributes(frame: Frame, holder: Instance) -> dict[object, Value]:
    frame.flush()
    names = {name for record in holder.records for name in record.attributes}
    return {
        name: join_all(record.attributes.get(name) for record in holder.records)
        for name in sorted(names)
    }


def _registered(frame: Frame, tree: ast.expr, holder: Instance) -> Value:
    """``net._modules``, ``net._parameters``: attributes, and parts that have numbers."""
    record = frame.analysis.dict_record((frame.context, tree, "registered"))
    for name, value in _attributes(frame, holder).items():
        put_item(frame, record, name, value, making=True)
    children = [child for module in holder.modules for child in module.children]
    if children:
        put_rest(frame, record, join_all(children), making=True)
    return Mapping(frozenset((record,)))


@lru_cache(maxsize=4096)
def external_attribute(name: str) -> Value:
    """A dotted name of a library."""
    dotted = canonical(name)
    head, _, last = dotted.rpartition(".")
    if head in ("torch", "numpy") and last in DTYPES:
        return Dtype(DTYPES[last])
    if dotted == "numpy.newaxis":
        return Const(None)
    if dotted in _CONSTANTS:
        return Const(1.5)
    return External(dotted)


def _tensor_attribute(frame: Frame, tree: ast.expr, holder: Tensor, name: str) -> Value:
    if is_encoding(frame, holder):
        return attribute_of_encoding(frame, tree, holder, name)
    if is_output(frame, holder):
        part = part_of_output(frame, tree, holder, name)
        if part is not None:
            return part
        holder = something_of(frame, tree, holder)
    exchanged = frame.analysis.exchanged.get(f"torch.Tensor.{name}")
    if exchanged is not None:
        hand_over(frame, tree, holder, exchanged.reason)
        return exchanged
    if name == "device":
        return Device(None, holder.nodes)
    if name == "is_cuda":
        return Residence(holder.nodes)
    if name in ("data", "grad", "T", "mT", "H", "mH", "values", "indices", "real", "imag"):
        if name in ("values", "indices") and _is_called(frame, tree):
            return Bound(holder, name)  # of a sparse tensor
        if name in ("values", "indices"):
            dtype = "int64" if name == "indices" else holder.dtype
            return Tensor(holder.nodes, dtype, holder.scalar, raw=False, computed=True)
        apart = holder.constant or name in ("data", "grad")
        beside = holder.doubted
        return replace(holder, parameter=False, leaf=False, beside=beside, constant=apart)
    if name == "dtype":
        note_dtype_use(frame, tree, holder)
        return Dtype(holder.dtype) if holder.dtype else PLAIN
    if name == "shape":
        return SIZES
    if name in ATTRIBUTES and method(name) is None:
        return PLAIN
    part = _part_of_object(frame, holder, name) if not _is_called(frame, tree) else None
    return part if part is not None else Bound(holder, name)


def _part_of_layer(
    frame: Frame, tree: ast.Attribute, holder: Instance, found: Value
) -> Tensor | None:
    """``rnn.all_weights``, ``loss.pos_weight``: what a layer has besides methods and sizes may be a
    tensor that is where the layer is."""
    open_ = isinstance(found, Bound) and found.function is None
    rows = [layer(record.layer) for record in holder.records if record.cls is None]
    layers = all(row is not None and row.kind not in _OF_OTHERS for row in rows)
    if (
        not (open_ and layers and len(rows) == len(holder.records))
        or tree.attr in MODULE_ATTRIBUTES
        or _is_called(frame, tree)
    ):
        return None
    nodes = frozenset(whereabouts(frame, record) for record in holder.records)
    frame.seen.read_weights.update(holder.records)
    return Tensor(nodes, raw=False, beside=Beside(other=True))


def _part_of_object(frame: Frame, holder: Tensor, name: str) -> Value | None:
    """``svd(x).S``, ``Normal(x, 1).mean``, ``batch.x``: what is asked for that is no tensor itself,
    and its tensors live together. Only of what torch made is it known what they are called."""
    if name in NUMBERS:
        return PLAIN
    if name in OBJECTS:
        return replace(holder, beside=replace(holder.beside, other=True))
    if name not in PARTS and method(name) is not None:
        return None
    sure = name in PARTS and holder.nodes.isdisjoint(frame.analysis.batches)
    beside = holder.doubted if sure else replace(holder.doubted, other=True)
    constant = holder.constant
    return Tensor(holder.nodes, raw=False, constant=constant, computed=True, beside=beside)


def _asks_a_tensor(frame: Frame, tree: ast.Attribute) -> bool:
    """``x.permute(…)``: nothing but a tensor has that."""
    asks = tree.attr in ONLY_TENSOR and _is_called(frame, tree)
    return asks and tree.attr in _telling(frame)


def _asks_an_array(frame: Frame, tree: ast.Attribute) -> bool:
    """``x.view(…)``: nothing but a tensor or an array of NumPy has that."""
    known = tree.attr in OF_ARRAYS and _is_called(frame, tree)
    return known and not frame.file.source.once(_of_other_tensors)


def _counts_dimensions(frame: Frame, tree: ast.Attribute) -> bool:
    """``x.shape[0]``, ``x.size(1)`` and ``b, n = x.shape`` raise where there is no dimension."""
    whole: ast.AST | None = tree
    if tree.attr == "size":
        whole = frame.analysis.parents.get(tree) if _is_called(frame, tree) else None
        if isinstance(whole, ast.Call) and whole.args:
            return True
    elif tree.attr != "shape":
        return False
    match frame.analysis.parents.get(whole) if whole is not None else None:
        case ast.Subscript(value=holder, slice=index):
            return holder is whole and not isinstance(index, ast.Slice)
        case ast.Assign(targets=[ast.Tuple(elts=names) | ast.List(elts=names)]):
            return any(not isinstance(name, ast.Starred) for name in names)
    return False


def _is_called(frame: Frame, tree: ast.AST) -> bool:
    call = frame.analysis.parents.get(tree)
    return isinstance(call, ast.Call) and call.func is tree


def _unseen_tensor(frame: Frame, tree: ast.Attribute, holder: Unknown) -> Bound | None:
    """What was not seen is a tensor, wherever it is."""
    if not _asks_a_tensor(frame, tree) or frame.analysis.may_be_object((tree.attr,)):
        return None
    said = all(map(frame.graph.sources, holder.place))
    nodes = holder.place if said else frozenset[int]()
    return Bound(Tensor(nodes, raw=False, near=holder.near), tree.attr)


def _opaque_attribute(frame: Frame, tree: ast.Attribute, holder: Opaque, name: str) -> Value:
    parameter = holder.parameter
    if not holder.part:
        parameter.asked.add(name)
        parameter.placed = parameter.placed or name == "device"
        parameter.shaped = parameter.shaped or name in ("shape", "ndim")
        measured = name == "size" and _is_called(frame, tree)
        parameter.sized = parameter.sized or measured
        parameter.ranked = parameter.ranked or _counts_dimensions(frame, tree)
        parameter.arrayed = parameter.arrayed or _asks_an_array(frame, tree)
        # an array has no device and no `size()`, and a module no shape
        both = (parameter.placed and parameter.shaped) or (parameter.sized and parameter.arrayed)
        one = parameter.shaped or parameter.sized or parameter.arrayed
        sent = parameter.arrived and one  # an array is sent to no device
        only = _asks_a_tensor(frame, tree)
        told = both or sent or only
        if sent or only or measured or name == "device":
            parameter.shown.add(tree)
        if told and not frame.analysis.may_be_object(parameter.asked):
            parameter.tensor = True
    if name in MODULE_METHODS and not holder.part:
        parameter.module = True
        parameter.weights = parameter.weights or name in _OF_WEIGHTS
        if name == "parameters":
            return Bound(holder, name)
    if name == "device":
        return Device(None, frozenset((parameter.node,)))
    if name == "is_cuda":
        parameter.tensor = True
        parameter.shown.add(tree)
        return Residence(frozenset((parameter.node,)))
    if name in ("shape", "dtype", "ndim"):
        return SIZES if name == "shape" else PLAIN
    if name in ("data", "grad") and parameter.tensor:
        shown = as_tensor(holder)
        return replace(shown, constant=True) if isinstance(shown, Tensor) else shown
    if method(name) is not None:
        return Bound(holder, name)
    return Opaque(parameter, part=True)


def _telling(frame: Frame) -> frozenset[str]:
    """The methods that only a tensor has, as far as this file knows other kinds of object."""
    names = (frame.module.env or {}).values()
    frames = any(isinstance(v, External) and v.name.startswith("pandas") for v in names)
    telling = ONLY_TENSOR_BESIDE_PANDAS if frames else ONLY_TENSOR
    return telling - frame.file.source.once(_of_other_tensors)


def _of_other_tensors(source: Source) -> frozenset[str]:
    """The methods of the tensors of other frameworks that a file imports, wherever it does."""
    packages = {origin.partition(".")[0] for origin in source.once(origins).values()}
    return frozenset[str]().union(*(OTHER_TENSORS.get(package, ()) for package in packages))


def _shared_attribute(frame: Frame, tree: ast.Attribute, holder: Instance) -> Value:
    """An attribute of one of several objects; a method that they share stays one method."""
    name = tree.attr
    alike: dict[ast.AST, tuple[Function, list[ObjectRecord]]] = {}
    found, inherited = list[Value](), set[ObjectRecord]()
    lacking = {record for record in holder.records if _has_no_weight(record, name)}
    for record in holder.records - lacking or lacking:
        method = record.cls.lookup(name) if record.cls and name not in record.attributes else None
        if isinstance(method, Function) and not record.namespace and method.kind == "function":
            alike.setdefault(method.tree, (method, []))[1].append(record)
            continue
        own = instance_attribute(frame, tree, record)
        if own == Bound(Instance(frozenset((record,))), name):
            inherited.add(record)
        else:
            found.append(own)
    for method, records in alike.values():
        found.append(Bound(Instance(frozenset(records)), name, method))
    if inherited:
        found.append(Bound(Instance(frozenset(inherited)), name))
    return join_all(found)


def _has_no_weight(record: ObjectRecord, name: str) -> bool:
    """``m.weight`` of a module that has none raises an error: who goes on has got another module.

    So functions that initialize the layers of a model tell them by the names of their classes.
    """
    if not WEIGHTS.fullmatch(name) or record.cls is None or not record.module:
        return False
    if name in record.attributes or record.patterns or record.cls.lookup(name) is not None:
        return False
    known = set(record.cls.library_bases()) == {"torch.nn.Module"}
    known = known and not has_unseen_base(record.cls)
    methods = ("__getattr__", "__getattribute__")
    return known and all(record.cls.lookup(method) is None for method in methods)


def instance_attribute(frame: Frame, tree: ast.Attribute, record: ObjectRecord) -> Value:
    """An attribute of one object: set on the instance, on its class, or inherited from torch."""
    name = tree.attr
    if record.keeper:
        return autograd.attribute(record, name)
    shown = computed_by_class(frame, tree, record, name)
    if shown is not None:
        return shown
    own = record.attributes.get(name)
    if own is not None:
        hidden = _hidden_method(record, name)
        own = join(own, hidden) if hidden is not None else own
        usual = record.cls.lookup(name) if record.cls is not None else None
        if is_none(usual) and (record, name) not in frame.analysis.since:
            own = join(own, usual)  # nobody has set it so far
        named = as_device(own) if isinstance(own, Device) or is_text(own) else None
        if named is not None and frame.analysis.is_renamed(record, name):
            return replace(named, label=None, nodes=frozenset())  # which place, depends on when
        return _as_found(frame, record, name, with_computed(record, name, own))
    if record.namespace:
        frame.seen.options.add((record, name))
        return Plain(choice=True, options=frozenset((name,)))
    this = Instance(frozenset((record,)))
    if record.cls is not None:
        found = record.cls.lookup(name)
        if isinstance(found, Function):
            return Bound(bound_receiver(this, found), name, found)
        if found is not None:
            return with_computed(record, name, found)
    inherited = _module_attribute(frame, record, name) if record.module else None
    if inherited is None and not record.module and defines(this, "__getattr__"):
        place = frame.analysis.implied(tree, name, record)
        return frame.call_method(place, this, "__getattr__", Const(name))
    if inherited is None and record.patterns and not _may_inherit(record, name):
        inherited = computed(record, name)
    return inherited if inherited is not None else Bound(this, name)


def _hidden_method(record: ObjectRecord, name: str) -> Bound | None:
    """The method that an attribute of the object hides: who asked before has got that one."""
    found = record.cls.lookup(name) if record.cls is not None else None
    this = Instance(frozenset((record,)))
    if isinstance(found, Function) and found.kind == "function":
        return Bound(this, name, found)
    return Bound(this, name) if record.layer and name == "forward" else None


def _may_inherit(record: ObjectRecord, name: str) -> bool:
    """Whether a base that is not of the program may have the attribute."""
    if record.module:
        return name in MODULE_ATTRIBUTES
    return record.cls is None or has_unseen_base(record.cls)


def _as_found(frame: Frame, record: ObjectRecord, name: str, own: Value) -> Value:
    """Parameters and buffers of a module that is still being built have not been moved yet; nor has
    what may become a buffer of one that the program moves later."""
    if name in record.unmoved:
        plain = name not in record.registered and is_early(frame, record)
        if plain or is_unfinished(frame, record):
            return record.unmoved[name]
    return part_of(frame, record, frame.analysis.arrivals.now(frame, record, name, own))


def _module_attribute(frame: Frame, record: ObjectRecord, name: str) -> Value | None:
    """What modules and layers of torch have besides methods."""
    buffer = name in STATISTICS
    if (buffer or WEIGHTS.fullmatch(name)) and _is_layer(record):
        frame.seen.read_weights.add(record)
        dtype = "int64" if name == "num_batches_tracked" else record.dtype
        nodes = frozenset((whereabouts(frame, record),))
        return Tensor(nodes, dtype, raw=False, constant=buffer)
    if record.layer in WRAPPERS and name == "module":
        return join_all(record.children) if record.children else Unknown("a wrapped module")
    if name == "training" or (record.layer and name in _SIZES):
        return PLAIN
    return None


def _is_layer(record: ObjectRecord) -> bool:
    """Whether it is a layer of torch, or of a class that inherits from one with parameters."""
    bases = record.cls.library_bases() if record.cls is not None else ()
    return bool(record.layer) or any(row and row.parameters for row in map(layer, bases))


def bound_receiver(this: Instance, function: Function) -> Value:
    """Static methods get no receiver; class methods get the class."""
    if function.kind == "staticmethod":
        return Const(None)
    if function.kind == "classmethod" and function.owner is not None:
        return Class(function.owner)
    return this


def _class_attribute(holder: Class, found: Value | None, name: str) -> Value:
    if isinstance(found, Function) and found.kind == "classmethod":
        return Bound(holder, name, found)
    inherited = holder.record.of_metaclass(name) if found is None else None
    if isinstance(inherited, Function):
        return Bound(holder, name, inherited)
    if found is not None:
        return found
    return inherited if inherited is not None else Bound(holder, name)


def _array_attribute(frame: Frame, tree: ast.Attribute, holder: Array) -> Value:
    name = tree.attr
    if _asks_a_tensor(frame, tree) or name in ("cpu", "cuda"):
        other = Unknown("a value used as a tensor, but inferred to be an array")
        return _unseen_tensor(frame, tree, other) or other
    if name in ("shape", "size", "ndim", "dtype", "nbytes"):
        return PLAIN
    if name in ("T", "real", "flat"):
        return holder
    return Bound(holder, name)
