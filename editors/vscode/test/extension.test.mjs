// The parts that need no editor, and the server as the extension starts it. `npm test` builds first.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const { commandOptions, serverSettings, settingsOf } = require("../out/settings.js");
const { byCell, unitsBefore } = require("../out/report.js");
const rpc = require("vscode-jsonrpc/node");
const manifest = require("../package.json");

const DEVICEFIX = process.env.DEVICEFIX ?? "devicefix";
const configuration = (values) => ({ get: (key) => values[key] });
const defaults = Object.fromEntries(
  Object.entries(manifest.contributes.configuration.properties).map(([key, { default: value }]) => [
    key.replace("devicefix.", ""),
    value,
  ]),
);

function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "devicefix-vscode-"));
  const done = () => rmSync(folder, { recursive: true });
  return Promise.resolve(work(folder)).finally(done);
}

test("every setting of the manifest is read, and defaults say nothing to the server", () => {
  const settings = settingsOf(configuration(defaults), "/w");
  assert.deepEqual(Object.keys(settings).sort(), Object.keys(defaults).sort());
  assert.deepEqual(serverSettings(settings), {});
  assert.deepEqual(commandOptions(settings), []);
});

test("what is set goes to the server and to the command line", () => {
  const given = { path: "${workspaceFolder}/bin/devicefix", select: ["DFX1"], unsafeFixes: true, minTorch: "2.0" };
  const settings = settingsOf(configuration(given), "/w");
  assert.equal(settings.path, "/w/bin/devicefix");
  assert.deepEqual(serverSettings(settings), { select: ["DFX1"], unsafeFixes: true, minTorch: "2.0" });
  assert.deepEqual(commandOptions(settings), ["--select", "DFX1", "--unsafe-fixes", "--min-torch", "2.0"]);
});

test("columns behind an emoji", () => {
  assert.equal(unitsBefore("s = '😀'; x", 9), 9);
});

test("a notebook has its findings by cell", () =>
  inFolder((folder) => {
    const cell = (source) => ({ cell_type: "code", execution_count: null, metadata: {}, outputs: [], source });
    const cells = [cell("import torch"), cell("x = 1\nmodel = torch.nn.Linear(2, 2).cuda()")];
    const notebook = join(folder, "a.ipynb");
    writeFileSync(notebook, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }));
    let report;
    try {
      report = execFileSync(DEVICEFIX, ["check", "--output-format", "json", "--", notebook], { encoding: "utf8" });
    } catch (error) {
      report = error.stdout; // there are findings: status 1
    }
    const found = byCell(report);
    assert.deepEqual([...found.keys()], [1]);
    assert.deepEqual(
      found.get(1).map(({ line, column, code }) => [line, column, code]),
      [[2, 9, "DFX201"]],
    );
  }));

test("the server that is started answers with diagnostics and obeys the settings", { timeout: 60_000 }, (context) =>
  inFolder(async (folder) => {
    const server = spawn(DEVICEFIX, ["lsp"], { stdio: ["pipe", "pipe", "ignore"] });
    context.after(() => server.kill());
    const connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(server.stdout),
      new rpc.StreamMessageWriter(server.stdin),
    );
    const settings = serverSettings(settingsOf(configuration({ ...defaults, ignore: ["DFX203"] })));
    connection.onRequest("workspace/configuration", ({ items }) => items.map(() => settings));
    connection.onRequest(() => null);
    connection.listen();
    const uri = pathToFileURL(join(folder, "a.py")).href;
    await connection.sendRequest("initialize", {
      processId: null,
      rootUri: pathToFileURL(folder).href,
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "w" }],
      capabilities: { workspace: { configuration: true }, textDocument: { diagnostic: {} } },
      initializationOptions: settings,
    });
    await connection.sendNotification("initialized", {});
    const text = "import torch\n\nx = torch.ones(2).cuda()\ny = torch.ones(2, device='cuda')\n";
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "python", version: 1, text },
    });
    const { items } = await diagnostics(connection, uri);
    assert.deepEqual([...new Set(items.map(({ code }) => code))], ["DFX201"]);
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    assert.equal(await new Promise((resolve) => server.on("exit", resolve)), 0);
  }));

// As editors do: a look that settings or edits have outdated is asked for again.
async function diagnostics(connection, uri) {
  for (;;) {
    try {
      return await connection.sendRequest("textDocument/diagnostic", { textDocument: { uri } });
    } catch (error) {
      if (error.code !== -32802) throw error;
    }
  }
}

test("the version is that of the package", () => {
  const project = readFileSync(new URL("../../../pyproject.toml", import.meta.url), "utf8");
  assert.equal(manifest.version, /^version = "(.+)"$/m.exec(project)[1]);
});
