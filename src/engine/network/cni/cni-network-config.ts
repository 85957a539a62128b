import { checkNetworkName, isPluginType } from "../../../cri/cni/cni-names.ts";
import {
  isAtLeast,
  isCniVersion,
  latestCniVersion,
  oldestCniVersion,
} from "../../../cri/cni/cni-version.ts";

/** A network: a list of plugins, each of which gets the result of the one before. */
export interface CniNetworkConfig {
  readonly name: string;
  /** The versions that it can be used in, lowest first. */
  readonly cniVersions: readonly string[];
  readonly disableCheck: boolean;
  readonly disableGC: boolean;
  /** Whether plugins of the folder with its name are ignored. */
  readonly loadOnlyInlinedPlugins: boolean;
  readonly plugins: readonly CniPluginConfig[];
}

export interface CniPluginConfig {
  readonly type: string;
  /** What the plugin wants to be told of a pod, such as `portMappings`. */
  readonly capabilities?: Readonly<Record<string, boolean>> | undefined;
  readonly [field: string]: unknown;
}

/** Parses a file of the CNI folder: a list of plugins, which may be elsewhere, or a single plugin. */
export function parseCniNetwork(text: string): CniNetworkConfig {
  const parsed = parseObject(text);
  const { name, plugins, type } = parsed;
  if (typeof name !== "string") throw new Error("it has no name");
  checkNetworkName(name);
  const common = {
    ...{ name, cniVersions: versionsOf(parsed) },
    disableCheck: readBool(parsed, "disableCheck"),
    disableGC: readBool(parsed, "disableGC"),
  };
  const loadOnlyInlinedPlugins = readBool(parsed, "loadOnlyInlinedPlugins");
  if (plugins === undefined && type !== undefined)
    return { ...common, loadOnlyInlinedPlugins: true, plugins: [checkPlugin(parsed)] };
  if (plugins === undefined && loadOnlyInlinedPlugins)
    throw new Error("loadOnlyInlinedPlugins is true, and it has no plugins");
  if (plugins !== undefined && !Array.isArray(plugins)) throw new Error("plugins is not a list");
  if (plugins?.length === 0) throw new Error("it has no plugins");
  const list = ((plugins ?? []) as unknown[]).map(checkPlugin);
  return { ...common, loadOnlyInlinedPlugins, plugins: list };
}

/** Parses a plugin of its own file. */
export const parseCniPlugin = (text: string): CniPluginConfig => checkPlugin(parseObject(text));

/** A network as a file of its own, which `parseCniNetwork` reads. */
export function formatCniNetwork({ cniVersions, ...network }: CniNetworkConfig): string {
  return JSON.stringify({ cniVersion: cniVersions.at(-1), cniVersions, ...network });
}

/** A plugin among others must not be told who else is in the list. */
function checkPlugin(value: unknown): CniPluginConfig {
  const { type, capabilities } = (value ?? {}) as Record<string, unknown>;
  if (typeof value !== "object" || Array.isArray(value))
    throw new Error("a plugin is not an object");
  if (type === undefined) throw new Error("a plugin has no type");
  if (!isPluginType(type)) throw new Error(`a plugin has the invalid type ${JSON.stringify(type)}`);
  if (capabilities !== undefined && (typeof capabilities !== "object" || capabilities === null))
    throw new Error(`the capabilities of plugin ${type} are not an object`);
  return value as CniPluginConfig;
}

/** Those of the file that are spoken here; versions to come are ignored if there are others. */
function versionsOf({ cniVersion, cniVersions }: Record<string, unknown>): readonly string[] {
  if (cniVersion !== undefined && typeof cniVersion !== "string")
    throw new Error("cniVersion is not a text");
  if (cniVersions !== undefined && !isTexts(cniVersions))
    throw new Error("cniVersions is not a list of texts");
  const listed = [...(cniVersions ?? []), ...(cniVersion ? [cniVersion] : [])];
  if (listed.length === 0) return [oldestCniVersion];
  const invalid = listed.find((one) => !/^\d+\.\d+\.\d+$/.test(one));
  if (invalid !== undefined)
    throw new Error(`it has the invalid CNI version ${JSON.stringify(invalid)}`);
  const spoken = [...new Set(listed.filter(isCniVersion))];
  if (spoken.length === 0)
    throw new Error(
      `its CNI version is none of those up to ${latestCniVersion}: ${listed.join(", ")}`,
    );
  return spoken.sort((a, b) => (isAtLeast(a, b) ? 1 : -1));
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Some write booleans as texts. */
function readBool(from: Record<string, unknown>, key: string): boolean {
  const value = from[key] ?? false;
  if (typeof value === "boolean") return value;
  const text = String(value).toLowerCase();
  if (typeof value !== "string" || (text !== "true" && text !== "false"))
    throw new Error(`${key} is neither true nor false`);
  return text === "true";
}

function parseObject(text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Error("it is not JSON", { cause });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error("it is not a JSON object");
  return parsed as Record<string, unknown>;
}
