"""Placement inference: where every tensor and module of a program lives.

``analyse`` evaluates a program abstractly (``program``), builds a graph of what has to live
together (``graph``), finds the cheapest set of transfers (``placement``) and names the device
(``naming``).
"""

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
    Number,
    Offence,
    Parameter,
    Route,
    Staleness,
    StaleOptimizer,
    Transfer,
    TransferCall,
    TypeAlias,
    Use,
    Wait,
)
from devicefix.flow.observations import DtypeClash
from devicefix.flow.program import analyse, analyse_program

__all__ = [
    "Argument",
    "Crossing",
    "CudaImport",
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
    "Number",
    "Offence",
    "Parameter",
    "Route",
    "StaleOptimizer",
    "Staleness",
    "Transfer",
    "TransferCall",
    "TypeAlias",
    "Use",
    "Wait",
    "analyse",
    "analyse_program",
]
