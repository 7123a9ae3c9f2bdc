// The findings of a notebook, from `devicefix check --output-format json` (docs/report.schema.json).

export interface Finding {
  line: number; // of the cell, from 1
  column: number; // in characters, from 1
  cell?: number; // among all cells, from 1
  code: string;
  message: string;
  applicability: "safe" | "unsafe" | "display";
  reason: string | null;
  url?: string;
}

export function byCell(report: string): Map<number, Finding[]> {
  const cells = new Map<number, Finding[]>();
  for (const finding of (JSON.parse(report) as { findings: Finding[] }).findings) {
    if (finding.cell !== undefined) {
      cells.set(finding.cell - 1, [...(cells.get(finding.cell - 1) ?? []), finding]);
    }
  }
  return cells;
}

// Columns of editors count UTF-16 units, those of a report characters.
export function unitsBefore(line: string, column: number): number {
  return [...line].slice(0, column - 1).join("").length;
}
