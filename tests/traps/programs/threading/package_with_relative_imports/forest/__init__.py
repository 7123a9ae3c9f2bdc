from .leaves import Leaves, gather
from .tree import Tree

__all__ = ["Leaves", "Tree", "gather"]
