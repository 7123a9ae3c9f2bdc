"""An audit in Markdown."""

from __future__ import annotations

from devicefix.audit.result import HOURS, Audit
from devicefix.reporting.counting import hours_text
from devicefix.reporting.markup import cell, plain, row


def render(audit: Audit) -> str:
    """The counts with the formula, and the files that matter most."""
    share = "nothing to do" if audit.share is None else f"{audit.share * 100:.0f}% automatic"
    lines = [f"# Readiness for {audit.target}: {share}", ""]
    lines += [row(("Category", "Items", "Hours each", "Hours")), "|---|---:|---:|---:|"]
    for category, count in audit.counts().items():
        each = HOURS[category]
        lines.append(row((category.value, str(count), f"{each:g}", hours_text(count * each))))
    effort = f"Effort: {hours_text(audit.hours)} hours, items times hours each."
    lines += ["", f"{effort} The hours are assumptions, not measurements.", ""]
    lines += [row(("File", "Items", "Hours")), "|---|---:|---:|"]
    lines += [row((cell(p), str(items), hours_text(hours))) for p, items, hours in audit.files()]
    if audit.errors:
        lines += ["", "Not audited:", "", *(f"- {plain(str(error))}" for error in audit.errors)]
    return "\n".join(lines) + "\n"
