// Starts `devicefix lsp` for Python files, and checks notebooks.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

import { Notebooks } from "./notebooks";
import { serverSettings, settingsOf } from "./settings";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("devicefix");
  const notebooks = new Notebooks(log);
  context.subscriptions.push(
    log,
    notebooks,
    vscode.commands.registerCommand("devicefix.restart", () => restart(log)),
    vscode.commands.registerCommand("devicefix.applyToNotebook", () => notebooks.apply()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("devicefix.path")) await restart(log);
    }),
  );
  await restart(log);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(log: vscode.OutputChannel): Promise<void> {
  await client?.stop().catch(() => undefined); // one that has not started cannot be stopped
  client = new LanguageClient("devicefix", "devicefix", server(), options(log));
  try {
    await client.start();
  } catch (error) {
    log.appendLine(String(error));
    void vscode.window.showErrorMessage(
      `devicefix: '${current().path} lsp' does not start. Install it with pip install 'devicefix[lsp]', or set devicefix.path.`,
    );
  }
}

function server(): ServerOptions {
  return { command: current().path, args: ["lsp"] };
}

function options(log: vscode.OutputChannel): LanguageClientOptions {
  return {
    documentSelector: [
      { language: "python", scheme: "file" },
      { language: "python", scheme: "untitled" },
    ],
    initializationOptions: serverSettings(current()),
    outputChannel: log,
    middleware: {
      // `devicefix.path` is ours, and the server refuses what it does not know
      workspace: { configuration: ({ items }) => items.map(() => serverSettings(current())) },
    },
    synchronize: { configurationSection: "devicefix" },
  };
}

function current() {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return settingsOf(vscode.workspace.getConfiguration("devicefix"), folder);
}
