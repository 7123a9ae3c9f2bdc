"""Placement inference: where every tensor and module of a program lives.

``analyse`` evaluates a program abstractly (``program``), builds a graph of what has to live
together (``graph``), finds the cheapest set of transfers (``placement``) and names the device
(``naming``).
"""

from devicefix.flow.accelerator_names import accelerator_names
from devicefix.flow.closed_lists import closed_lists
from devicefix.flow.cuda_checks import (
    CudaSite,
    amp_call,
    checked_sites,
    is_left,
    is_open,
    keeps,
    moving_conditions,
    needs_check,
    open_elsewhere,
)
from devicefix.flow.cuda_sites import Sort as CudaSort
from devicefix.flow.cuda_sites import sites as cuda_sites
from devicefix.flow.evaluated import analyse, analyse_program
from devicefix.flow.facts import (
    Argument,
    Crossing,
    CudaImport,
    DefaultType,
    DeviceLiteral,
    DeviceName,
    DeviceNumber,
    Draw,
    FileFacts,
    Guard,
    Kind,
    Leaf,
    LibraryCall,
    Mention,
    Need,
    Number,
    Offence,
    Parameter,
    PlainContainer,
    Route,
    Staleness,
    StaleOptimizer,
    Timing,
    Transfer,
    TransferCall,
    TypeAlias,
    UnfinishedCopy,
    Use,
    Wait,
)
from devicefix.flow.legacy_facts import Belief, OldImport, Sort, Ungraded, Wrapping
from devicefix.flow.observations import DtypeClash

__all__ = [
    "Argument",
    "Belief",
    "Crossing",
    "CudaImport",
    "CudaSite",
    "CudaSort",
    "DefaultType",
    "DeviceLiteral",
    "DeviceName",
    "DeviceNumber",
    "Draw",
    "DtypeClash",
    "FileFacts",
    "Guard",
    "Kind",
    "Leaf",
    "LibraryCall",
    "Mention",
    "Need",
    "Number",
    "Offence",
    "OldImport",
    "Parameter",
    "PlainContainer",
    "Route",
    "Sort",
    "StaleOptimizer",
    "Staleness",
    "Timing",
    "Transfer",
    "TransferCall",
    "TypeAlias",
    "UnfinishedCopy",
    "Ungraded",
    "Use",
    "Wait",
    "Wrapping",
    "accelerator_names",
    "amp_call",
    "analyse",
    "analyse_program",
    "checked_sites",
    "closed_lists",
    "cuda_sites",
    "is_left",
    "is_open",
    "keeps",
    "moving_conditions",
    "needs_check",
    "open_elsewhere",
]
