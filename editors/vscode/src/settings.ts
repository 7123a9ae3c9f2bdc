// What the user has set, for the server and for the command line. No `vscode` here: tests run in plain Node.

export interface Configuration {
  get<T>(key: string): T | undefined;
}

export interface Settings {
  path: string;
  select: string[];
  ignore: string[];
  unsafeFixes: boolean;
  minTorch: string;
  config: string;
}

export function settingsOf(configuration: Configuration, folder?: string): Settings {
  return {
    path: (configuration.get<string>("path") || "devicefix").replaceAll("${workspaceFolder}", folder ?? "."),
    select: configuration.get<string[]>("select") ?? [],
    ignore: configuration.get<string[]>("ignore") ?? [],
    unsafeFixes: configuration.get<boolean>("unsafeFixes") ?? false,
    minTorch: configuration.get<string>("minTorch") ?? "",
    config: configuration.get<string>("config") ?? "",
  };
}

// The keys of docs/editors.md. What is empty is left to pyproject.toml.
export function serverSettings(settings: Settings): Record<string, unknown> {
  const { path: _, ...options } = settings;
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value))),
  );
}

export function commandOptions(settings: Settings): string[] {
  return [
    ...settings.select.flatMap((rule) => ["--select", rule]),
    ...settings.ignore.flatMap((rule) => ["--ignore", rule]),
    ...(settings.unsafeFixes ? ["--unsafe-fixes"] : []),
    ...(settings.minTorch ? ["--min-torch", settings.minTorch] : []),
    ...(settings.config ? ["--config", settings.config] : []),
  ];
}
