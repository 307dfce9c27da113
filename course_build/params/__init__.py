"""Where a model's parameters are, counted exactly from its config file alone.

    inventory(source) -> Inventory      every tensor, with symbolic shape and number of copies
    Inventory.select(part="norm.main")  a count, its formula, the tensors behind it

Adding a family: docs/decisions/ (parameter inventory).
"""

from course_build.params.count import inventory
from course_build.params.inventory import Inventory, Selection, component, count_formula
from course_build.params.layers import Group
from course_build.params.plan import Traits
from course_build.params.sym import Sym
from course_build.params.tensor import Norm, Tensor

__all__ = [
    "Group",
    "Inventory",
    "Norm",
    "Selection",
    "Sym",
    "Tensor",
    "Traits",
    "component",
    "count_formula",
    "inventory",
]
