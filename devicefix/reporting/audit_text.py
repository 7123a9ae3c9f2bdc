"""An audit on the terminal."""

from __future__ import annotations

from devicefix.audit.result import HOURS, Audit
from devicefix.reporting.counting import counted, hours_text
from devicefix.reporting.terminal import printable


def render(audit: Audit) -> str:
    """The counts, the share, the effort and the files that matter most."""
    share = "nothing to do" if audit.share is None else f"{audit.share * 100:.0f}% automatic"
    found, checked = counted(len(audit.items), "item"), counted(audit.checked, "file")
    lines = [f"{audit.target}: {share} ({found}, {checked} checked)"]
    for category, count in audit.counts().items():
        lines.append(f"  {count:6}  {category.value} ({HOURS[category]:g} h each)")
    total = hours_text(audit.hours)
    lines.append(f"Effort: {total} hours (items times the hours of each, which are assumptions).")
    if files := audit.files():
        lines.append("Files with the most to do (hours, items):")
    for path, items, hours in files:
        lines.append(f"  {hours_text(hours):>7}  {items:5}  {printable(path)}")
    return "\n".join(lines) + "\n"
