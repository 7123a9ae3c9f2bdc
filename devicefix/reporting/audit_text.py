"""An audit on the terminal."""

from __future__ import annotations

from devicefix.audit.result import HOURS, Audit
from devicefix.reporting.terminal import printable


def render(audit: Audit) -> str:
    """The counts, the share, the effort and the files that matter most."""
    share = "nothing to do" if audit.share is None else f"{audit.share:.0%} automatic"
    lines = [f"{audit.target}: {share} ({len(audit.items)} items, {audit.checked} files)"]
    for category, count in audit.counts().items():
        lines.append(f"  {count:6}  {category.value} (x {HOURS[category]:g} h)")
    lines.append(f"effort: {audit.hours:.1f} hours, the sum of items x hours")
    for path, items, hours in audit.files():
        lines.append(f"  {hours:7.1f} h  {items:5}  {printable(path)}")
    return "\n".join(lines) + "\n"
