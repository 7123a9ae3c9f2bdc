"""A statement after the imports."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devicefix.edits import import_torch, insert_after_imports
from devicefix.source import Source

TEXT = "device = torch.device('cpu')"

CASES = [
    ("", "<>\n"),
    ("# c", "# c\n<>\n"),
    ("x = 1\n", "<>\n\nx = 1\n"),
    ("# c\n\ndef f(): pass\n", "# c\n\n<>\n\n\ndef f(): pass\n"),
    ("import torch", "import torch\n\n<>"),
    ("import torch\n", "import torch\n\n<>\n"),
    ("import torch\nx = 1\n", "import torch\n\n<>\n\nx = 1\n"),
    ("import torch\n\nx = 1\n", "import torch\n\n<>\n\nx = 1\n"),
    ("import torch\n\n\n\nx = 1\n", "import torch\n\n<>\n\n\n\nx = 1\n"),
    ("import torch\ndef f(): pass\n", "import torch\n\n<>\n\n\ndef f(): pass\n"),
    ("import torch\n@d\nclass A: pass\n", "import torch\n\n<>\n\n\n@d\nclass A: pass\n"),
    ("import torch\n\n\nclass A: pass\n", "import torch\n\n<>\n\n\nclass A: pass\n"),
    ("import torch  # c\n# d\nx\n", "import torch  # c\n\n<>\n\n# d\nx\n"),
    ("import torch\r\nx\r\n", "import torch\r\n\r\n<>\r\n\r\nx\r\n"),
    ("import a; import torch; x = 2\ny\n", "import a; import torch\n\n<>\n\nx = 2\ny\n"),
    ('"""d"""\n', '"""d"""\n\n<>\n'),
    ('"""d"""', '"""d"""\n\n<>'),
    ('"""d"""\nfrom __future__ import x\nimport torch\n\ny\n', None),
    ("from torch import (\n  a,\n)\nimport torch as th\nfrom torch import *\n\nx\n", None),
    ("try:\n    import torch\nexcept ImportError:\n    torch = None\n\nx\n", None),
    ("import torch\ntry:\n    import b\nexcept ImportError:\n    raise\n\nx\n", None),
    ("import torch\ntry:\n    import b\nexcept ImportError:\n    class B: pass\n\nx\n", None),
    ("import torch\nif TYPE_CHECKING:\n    import b\n\nx\n", None),
    ("import os\nos.environ['a'] = 'b'\nimport torch\nimport numpy\n\nx\n", None),
    ("import sys\nsys.path.append('a')\n\nif a:\n    import torch\n\nx\n", None),
    ("import sys\nsys.path.append('a')\nimport b\nfrom c import *\nfrom d import *\n\nx\n", None),
    ("import sys\nsys.path.append(sys.argv[1])\nimport b\nb.on = True\nimport c\n\nb.f()\n", None),
    ("import torch\nimport a\na.use('agg')\nimport a.b as b\n\nb.x\n", None),
    ("import torch\ntry:\n    import b\nexcept ImportError:\n    print('no b')\n\nx\n", None),
    ("import a\na.use(x)\nimport b\n\nb.x\n", "import a\n\n<>\n\na.use(x)\nimport b\n\nb.x\n"),
    ("import a\n\n# d\nimport b\n\na.x\n", None),
    ("import a\n\n# d\n# e\nimport b\n\nb.x\n", "import a\n\n<>\n\n# d\n# e\nimport b\n\nb.x\n"),
    ("__all__ = []\n\nwith w:\n    import torch\n\nx\n", None),
]


@pytest.mark.parametrize(("before", "after"), CASES, ids=[before for before, _ in CASES])
def test_insert_after_imports(before: str, after: str | None, apply: Callable[..., str]) -> None:
    if after is None:
        head, _, rest = before.rpartition("\n\n")
        after = f"{head}\n\n<>\n\n{rest}"
    expected = after.replace("<>", TEXT)
    assert apply(before, lambda s: insert_after_imports(s, TEXT)) == expected


def test_imports_that_are_not_run_do_not_count(apply: Callable[..., str]) -> None:
    before = "import os\n\nif TYPE_CHECKING:\n    import torch\n\n\ndef f():\n    import torch\n"
    new = apply(before, lambda s: insert_after_imports(s, "import torch\n\n" + TEXT))
    assert new == before.replace(
        "    import torch\n\n\ndef", f"    import torch\n\nimport torch\n\n{TEXT}\n\n\ndef", 1
    )


def test_the_same_statement_counts_once(apply: Callable[..., str]) -> None:
    new = apply("import torch\n", lambda s: [insert_after_imports(s, TEXT) for _ in range(3)])
    assert new == f"import torch\n\n{TEXT}\n"


def test_what_only_the_main_program_imports_does_not_count(apply: Callable[..., str]) -> None:
    before = 'import math\n\n\ndef f(): ...\n\n\nif __name__ == "__main__":\n    import torch\n'
    new = apply(before, lambda s: insert_after_imports(s, TEXT))
    assert new == before.replace("import math\n", f"import math\n\n{TEXT}\n", 1)


def test_line_ends_of_two_kinds_do_not_become_one() -> None:
    source = Source.from_text("import torch\rx = 1\ny = 2\nz = 3\n")
    text = source.apply([insert_after_imports(source, "device = 0")])
    assert text == "import torch\r\rdevice = 0\n\nx = 1\ny = 2\nz = 3\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import os\nfrom torch import nn\n", "import os\n<>\nfrom torch import nn\n"),
        (
            "import a\nimport z\nfrom torch import nn\n",
            "import a\n<>\nimport z\nfrom torch import nn\n",
        ),
        (
            "import os\n\nimport numpy\nfrom mine import f\n",
            "import os\n\n<>\nimport numpy\nfrom mine import f\n",
        ),
        ("import os\nimport numpy\nimport mine\n", "import os\n<>\nimport numpy\nimport mine\n"),
        ("import numpy\nimport os\nimport utils\n", "import numpy\nimport os\n<>\nimport utils\n"),
        ("import numpy\nimport scipy\n", "import numpy\nimport scipy\n<>\n"),
        ("import os\nimport sys\n", "import os\nimport sys\n<>\n"),
        ("# layers\nfrom torch import nn\n", "# layers\nfrom torch import nn\n<>\n"),
        (
            "from torch import nn; from torch import fft\n",
            "<>\nfrom torch import nn; from torch import fft\n",
        ),
        ("import os; from torch import nn\n", "import os; <>; from torch import nn\n"),
        ("import os\nimport mine\n\n# limits\nimport resource\n\nresource.f()\n", None),
    ],
)
def test_import_torch(before: str, after: str | None, apply: Callable[..., str]) -> None:
    expected = after or before.replace("import mine\n", "<>\nimport mine\n")
    assert apply(before, import_torch) == expected.replace("<>", "import torch")
