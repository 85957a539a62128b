import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NetworkedPod, PodNetwork } from "../../cri/pod-network.ts";
import type { PodSandboxConfig } from "../../cri/runtime-types.ts";
import { replacePrivateFile } from "../../platform/files.ts";
import { runChild } from "../../platform/run-child.ts";
import {
  type CniConfig,
  type CniPluginConfig,
  parseCniConfig,
  pluginInput,
  resultAddresses,
} from "./cni-config.ts";

export interface CniNetworkOptions {
  /** The folder of configurations: the first by name is used. */
  readonly configFolder: string;
  /** The folders of the plugins. */
  readonly pluginFolders: readonly string[];
  /** Where results are kept until a pod is disconnected. */
  readonly cacheFolder: string;
}

/** Networks by CNI plugins: programs that read JSON, change a network namespace, and print JSON. */
export function cniNetwork(options: CniNetworkOptions): PodNetwork {
  return {
    async problem() {
      return (await loadConfig(options.configFolder)) ? undefined : notInitialized;
    },
    async add(pod) {
      const config = await loadConfig(options.configFolder);
      if (!config) throw new Error(notInitialized);
      await mkdir(options.cacheFolder, { recursive: true, mode: 0o700 });
      // With this the pod can be disconnected, even if the next step is interrupted.
      await writeCache(options, pod, { config });
      let result: object | undefined;
      for (const plugin of config.plugins)
        result = await callPlugin("ADD", { config, plugin, pod, prevResult: result }, options);
      await writeCache(options, pod, { config, result });
      return resultAddresses(result ?? {});
    },
    async remove(pod) {
      const cached = await readCache(options, pod);
      const config = cached?.config ?? (await loadConfig(options.configFolder));
      if (!config) return;
      const result = cached?.result;
      for (const plugin of [...config.plugins].reverse())
        await callPlugin("DEL", { config, plugin, pod, prevResult: result }, options);
      await rm(cachePath(options, pod), { force: true });
    },
  };
}

const notInitialized = "cni plugin not initialized";

/** What was done for a pod. */
interface Cached {
  readonly config: CniConfig;
  readonly result?: object | undefined;
}

const cachePath = ({ cacheFolder }: CniNetworkOptions, { sandboxId }: NetworkedPod): string =>
  join(cacheFolder, `${sandboxId}.json`);

const writeCache = (options: CniNetworkOptions, pod: NetworkedPod, cached: Cached): Promise<void> =>
  replacePrivateFile(cachePath(options, pod), JSON.stringify(cached));

async function readCache(
  options: CniNetworkOptions,
  pod: NetworkedPod,
): Promise<Cached | undefined> {
  try {
    return JSON.parse(await readFile(cachePath(options, pod), "utf8")) as Cached;
  } catch {
    // Without it, or with one that is damaged, a pod is disconnected by the configuration of today.
    return undefined;
  }
}

/** The first configuration of a folder by name that has one. */
async function loadConfig(folder: string): Promise<CniConfig | undefined> {
  const names = (await readdir(folder).catch(() => [])).sort();
  const [first] = names.filter((name) => /\.(?:conf|conflist|json)$/.test(name));
  if (first === undefined) return undefined;
  const path = join(folder, first);
  return parseCniConfig(await readFile(path, "utf8"), path);
}

interface Call {
  readonly config: CniConfig;
  readonly plugin: CniPluginConfig;
  readonly pod: NetworkedPod;
  readonly prevResult?: object | undefined;
}

async function callPlugin(
  command: "ADD" | "DEL",
  { config, plugin, pod, prevResult }: Call,
  { pluginFolders }: CniNetworkOptions,
): Promise<object | undefined> {
  const program = pluginFolders.map((one) => join(one, plugin.type)).find((one) => existsSync(one));
  if (program === undefined)
    throw new Error(`failed to find plugin "${plugin.type}" in path [${pluginFolders.join(" ")}]`);
  const input = pluginInput(config, plugin, { arguments: podArguments(pod.config), prevResult });
  const { code, stdout, stderr } = await runChild(program, [], {
    input: JSON.stringify(input),
    env: {
      PATH: process.env.PATH,
      CNI_COMMAND: command,
      CNI_CONTAINERID: pod.sandboxId,
      // A namespace that is gone has no interfaces to remove.
      CNI_NETNS: existsSync(pod.namespace) ? pod.namespace : "",
      CNI_IFNAME: "eth0",
      CNI_ARGS: podNames(pod),
      CNI_PATH: pluginFolders.join(":"),
    },
  });
  if (code !== 0)
    throw new Error(
      `plugin type="${plugin.type}" failed (${command.toLowerCase()}): ${problemOf(stdout, stderr)}`,
    );
  return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as object);
}

/** The message of a plugin's error, which is JSON on its output. */
function problemOf(stdout: string, stderr: string): string {
  try {
    const { msg, details } = JSON.parse(stdout) as { msg?: string; details?: string };
    if (msg) return details ? `${msg}; ${details}` : msg;
  } catch {
    // It failed in another way.
  }
  return stderr.trim() || stdout.trim();
}

const podNames = ({ sandboxId, config: { metadata } }: NetworkedPod): string =>
  [
    "IgnoreUnknown=1",
    `K8S_POD_NAMESPACE=${metadata.namespace}`,
    `K8S_POD_NAME=${metadata.name}`,
    `K8S_POD_INFRA_CONTAINER_ID=${sandboxId}`,
    `K8S_POD_UID=${metadata.uid}`,
  ].join(";");

/** The capability arguments of a pod. */
function podArguments({
  portMappings = [],
  dns,
  cgroupParent,
}: PodSandboxConfig): Record<string, unknown> {
  const mapped = portMappings.filter(({ hostPort }) => hostPort > 0);
  return {
    ...(mapped.length > 0 && {
      portMappings: mapped.map(({ protocol, hostIp, ...ports }) => ({
        ...ports,
        protocol: protocol.toLowerCase(),
        hostIP: hostIp,
      })),
    }),
    ...(dns && { dns }),
    ...(cgroupParent !== undefined && { cgroupPath: cgroupParent }),
  };
}
