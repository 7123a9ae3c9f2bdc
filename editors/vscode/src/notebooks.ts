// Notebooks are checked as files, when they are opened and saved; the server leaves them alone.

import { execFile } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";

import { byCell, Finding, unitsBefore } from "./report";
import { commandOptions, settingsOf } from "./settings";

const TYPE = "jupyter-notebook";

export class Notebooks implements vscode.Disposable {
  private readonly found = vscode.languages.createDiagnosticCollection("devicefix");
  private readonly listeners: vscode.Disposable;

  constructor(private readonly log: vscode.OutputChannel) {
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidOpenNotebookDocument((notebook) => this.check(notebook)),
      vscode.workspace.onDidSaveNotebookDocument((notebook) => this.check(notebook)),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => this.clear(notebook)),
      vscode.workspace.onDidCloseNotebookDocument((notebook) => this.clear(notebook)),
    );
    vscode.workspace.notebookDocuments.forEach((notebook) => void this.check(notebook));
  }

  dispose(): void {
    this.listeners.dispose();
    this.found.dispose();
  }

  async apply(): Promise<void> {
    const notebook = vscode.window.activeNotebookEditor?.notebook;
    if (notebook === undefined || !isFile(notebook)) return;
    if (notebook.isDirty && !(await notebook.save())) return;
    this.log.append(await this.run("apply", notebook));
    this.log.show(true);
    await vscode.commands.executeCommand("workbench.action.files.revert"); // what is on the disk now
    await this.check(notebook);
  }

  private async check(notebook: vscode.NotebookDocument): Promise<void> {
    if (!isFile(notebook)) return;
    const version = notebook.version;
    const report = await this.run("check", notebook, "--output-format", "json");
    if (notebook.isClosed || notebook.version !== version || !report) return;
    this.clear(notebook);
    for (const [number, findings] of byCell(report)) {
      const cell = notebook.getCells()[number]?.document;
      if (cell !== undefined) this.found.set(cell.uri, findings.map((one) => diagnostic(one, cell)));
    }
  }

  private clear(notebook: vscode.NotebookDocument): void {
    notebook.getCells().forEach((cell) => this.found.delete(cell.document.uri));
  }

  // Statuses 0 and 1 are results; with 2 there may be a report, and stderr says what went wrong.
  private run(command: string, notebook: vscode.NotebookDocument, ...options: string[]): Promise<string> {
    const folder = vscode.workspace.getWorkspaceFolder(notebook.uri)?.uri.fsPath;
    const settings = settingsOf(vscode.workspace.getConfiguration("devicefix", notebook.uri), folder);
    const words = [command, ...options, ...commandOptions(settings), "--", notebook.uri.fsPath];
    const bounds = { cwd: path.dirname(notebook.uri.fsPath), timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
    return new Promise((resolve) => {
      execFile(settings.path, words, bounds, (error, stdout, stderr) => {
        if (stderr) this.log.append(stderr);
        if (error && typeof error.code === "string") this.log.appendLine(error.message); // it did not start
        resolve(stdout);
      });
    });
  }
}

function isFile(notebook: vscode.NotebookDocument): boolean {
  return notebook.notebookType === TYPE && notebook.uri.scheme === "file";
}

function diagnostic(finding: Finding, cell: vscode.TextDocument): vscode.Diagnostic {
  const line = cell.lineAt(Math.min(finding.line, cell.lineCount) - 1);
  const start = line.range.start.translate(0, unitsBefore(line.text, finding.column));
  const text = finding.reason ? `${finding.message} (${finding.reason})` : finding.message;
  const severity =
    finding.applicability === "display" ? vscode.DiagnosticSeverity.Information : vscode.DiagnosticSeverity.Warning;
  const made = new vscode.Diagnostic(new vscode.Range(start, line.range.end), text, severity);
  made.source = "devicefix";
  made.code = finding.url ? { value: finding.code, target: vscode.Uri.parse(finding.url) } : finding.code;
  return made;
}
