import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { errorMessage } from "../../../base/error-message.ts";
import { type CniNetworkConfig, parseCniNetwork, parseCniPlugin } from "./cni-network-config.ts";

export interface LoadedCniNetwork {
  /** The first network of the folder by the names of files. */
  readonly network?: CniNetworkConfig | undefined;
  /** The files before it that are not one, and why. */
  readonly invalid: readonly { readonly path: string; readonly problem: string }[];
}

/** Reads the network of a folder. Files that have none are skipped. */
export async function loadCniNetwork(folder: string): Promise<LoadedCniNetwork> {
  const invalid: { path: string; problem: string }[] = [];
  for (const path of await filesOf(folder, [".conf", ".conflist", ".json"])) {
    try {
      return { network: await loadFile(folder, path), invalid };
    } catch (error) {
      invalid.push({ path, problem: errorMessage(error) });
    }
  }
  return { invalid };
}

async function loadFile(folder: string, path: string): Promise<CniNetworkConfig> {
  const network = parseCniNetwork(await readShort(path));
  if (network.loadOnlyInlinedPlugins) return network;
  const others = await filesOf(join(folder, network.name), [".conf"]);
  const texts = await Promise.all(others.map(readShort));
  const plugins = [...network.plugins, ...texts.map(parseCniPlugin)];
  if (plugins.length === 0) throw new Error("it has no plugins");
  return { ...network, plugins };
}

/** The files of a folder with one of these endings, by name; none if there is no folder. */
async function filesOf(folder: string, endings: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory() && endings.includes(extname(entry.name)))
    .map(({ name }) => join(folder, name))
    .sort((a, b) => (a < b ? -1 : 1));
}

/** Reads a file of a sensible size. */
async function readShort(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error("it is not a file");
  if (found.size > mostBytes) throw new Error("it is larger than a megabyte");
  return readFile(path, "utf8");
}

const mostBytes = 1 << 20;
