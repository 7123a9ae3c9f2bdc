"""Many repositories: each is cloned, rewritten, proven and proposed, and none stops the others.

`Campaign` decides what is next and records it in `Ledger` (SQLite, one writer); executors take an
`Order` and give a `Result`, plain data both. A stage is recorded before it begins and its result
before it is used, and each stage may be repeated, so there is nothing to repair after a crash. The
token stays in the coordinator and in the environment of whoever clones.
"""

from __future__ import annotations
