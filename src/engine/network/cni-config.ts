/** A list of plugins, each of which gets the result of the one before. */
export interface CniConfig {
  readonly cniVersion: string;
  readonly name: string;
  readonly disableCheck?: boolean | undefined;
  readonly plugins: readonly CniPluginConfig[];
}

export interface CniPluginConfig {
  readonly type: string;
  /** What the plugin wants to be told of a pod, such as `portMappings`. */
  readonly capabilities?: Readonly<Record<string, boolean>> | undefined;
  readonly [field: string]: unknown;
}

/** Parses a file of the CNI folder: a list of plugins, or a single plugin. */
export function parseCniConfig(text: string, path: string): CniConfig {
  const parsed: unknown = parseJson(text, path);
  if (typeof parsed !== "object" || parsed === null)
    throw new Error(`${path} is not a JSON object`);
  const { name, cniVersion = "0.1.0", plugins, type, ...rest } = parsed as Record<string, unknown>;
  if (typeof name !== "string" || name === "") throw new Error(`${path} has no name`);
  const version = String(cniVersion);
  if (plugins === undefined) {
    if (typeof type !== "string") throw new Error(`${path} has neither plugins nor a type`);
    return { cniVersion: version, name, plugins: [{ type, ...rest }] };
  }
  if (!Array.isArray(plugins) || plugins.length === 0) throw new Error(`${path} has no plugins`);
  for (const plugin of plugins as unknown[])
    if (typeof (plugin as { type?: unknown } | null)?.type !== "string")
      throw new Error(`a plugin in ${path} has no type`);
  return { cniVersion: version, name, plugins: plugins as CniPluginConfig[] };
}

/** What a plugin reads on its standard input. */
export function pluginInput(
  { cniVersion, name }: CniConfig,
  { capabilities, ...plugin }: CniPluginConfig,
  { arguments: all, prevResult }: PluginCall,
): object {
  const wanted = Object.entries(all).filter(([key]) => capabilities?.[key] === true);
  return {
    ...plugin,
    cniVersion,
    name,
    ...(wanted.length > 0 && { runtimeConfig: Object.fromEntries(wanted) }),
    ...(prevResult !== undefined && { prevResult }),
  };
}

export interface PluginCall {
  /** The capability arguments of a pod, by their names. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly prevResult?: object | undefined;
}

/** The addresses of a result, in any of its versions. */
export function resultAddresses(result: object): readonly string[] {
  const {
    ips = [],
    ip4,
    ip6,
  } = result as {
    readonly ips?: readonly { readonly address: string }[];
    readonly ip4?: { readonly ip: string };
    readonly ip6?: { readonly ip: string };
  };
  const old = [ip4, ip6].flatMap((one) => (one ? [one.ip] : []));
  return [...ips.map(({ address }) => address), ...old].map((one) => one.split("/")[0] ?? one);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`cannot parse ${path}`, { cause });
  }
}
