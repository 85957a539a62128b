import { CniError } from "../../cri/cni/cni-error.ts";
import { checkContainerId, checkInterfaceName, checkNetworkName } from "../../cri/cni/cni-names.ts";
import { readResult, writeResult } from "../../cri/cni/cni-result.ts";
import {
  cniVersions,
  isAtLeast,
  isCniVersion,
  latestCniVersion,
  oldestCniVersion,
} from "../../cri/cni/cni-version.ts";
import type { CniPlugin, NetworkCall, NetworkConfig, PluginCall } from "./plugin.ts";

/** What a process of a plugin was started with. */
export interface PluginStart {
  /** The name that the program was called by. */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
}

export interface PluginOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr?: string;
}

/** Runs the plugin that the program was called as or, under another name, that of the configuration. */
export async function runPlugin(
  start: PluginStart,
  plugins: Readonly<Record<string, CniPlugin>>,
): Promise<PluginOutput> {
  const { env } = start;
  if ((env.CNI_COMMAND ?? "") === "") return { code: 0, stdout: "", stderr: about(start, plugins) };
  let cniVersion: string = latestCniVersion;
  try {
    if (env.CNI_COMMAND === "VERSION") return printed(versionInfo(await readVersion(start)));
    checkEnvironment(env);
    const input = await start.readInput();
    const config = readConfig(input);
    cniVersion = isCniVersion(config.cniVersion) ? config.cniVersion : latestCniVersion;
    const plugin = plugins[start.name] ?? plugins[config.type ?? ""];
    if (!plugin)
      throw new CniError(
        "invalidConfig",
        `no plugin has the name ${start.name}, or the type ${JSON.stringify(config.type)}`,
      );
    const output = await runCommand(plugin, { config, input, env });
    return output ? printed(output) : { code: 0, stdout: "" };
  } catch (error) {
    return { ...printed(CniError.from(error).toJson(cniVersion)), code: 1 };
  }
}

const printed = (value: object): PluginOutput => ({
  code: 0,
  stdout: `${JSON.stringify(value)}\n`,
});

const about = ({ name }: PluginStart, plugins: Readonly<Record<string, CniPlugin>>): string =>
  `CNI plugin ${name}: ${Object.keys(plugins).join(", ")}\nCNI protocol versions supported: ${cniVersions.join(", ")}\n`;

const versionInfo = (cniVersion: string): object => ({
  cniVersion,
  supportedVersions: cniVersions,
});

/** The version of the caller, as far as it says one. */
async function readVersion({ readInput }: PluginStart): Promise<string> {
  try {
    const { cniVersion } = JSON.parse(await readInput()) as { cniVersion?: unknown };
    return typeof cniVersion === "string" ? cniVersion : latestCniVersion;
  } catch {
    return latestCniVersion;
  }
}

/** The version in which a command came. */
const since: Readonly<Record<string, string>> = {
  ...{ ADD: "0.1.0", DEL: "0.1.0", CHECK: "0.4.0", GC: "1.1.0", STATUS: "1.1.0" },
};

const ofAttachment = ["CNI_CONTAINERID", "CNI_IFNAME"];
const required: Readonly<Record<string, readonly string[]>> = {
  ADD: [...ofAttachment, "CNI_NETNS", "CNI_PATH"],
  CHECK: [...ofAttachment, "CNI_NETNS", "CNI_PATH"],
  DEL: [...ofAttachment, "CNI_PATH"],
  GC: ["CNI_PATH"],
  STATUS: ["CNI_PATH"],
};

function checkEnvironment(env: NodeJS.ProcessEnv): void {
  const command = env.CNI_COMMAND ?? "";
  const wanted = required[command];
  if (!wanted) throw new CniError("invalidEnvironment", `unknown CNI_COMMAND: ${command}`);
  const missing = wanted.filter((name) => (env[name] ?? "") === "");
  if (missing.length > 0)
    throw new CniError(
      "invalidEnvironment",
      `required env variables [${missing.join(",")}] missing`,
    );
  if (!wanted.includes("CNI_CONTAINERID")) return;
  checkContainerId(env.CNI_CONTAINERID ?? "");
  checkInterfaceName(env.CNI_IFNAME ?? "");
}

function readConfig(input: string): NetworkConfig {
  let parsed: unknown;
  try {
    parsed = JSON.parse(input);
  } catch (cause) {
    throw new CniError(
      "decodingFailure",
      `error unmarshall network config: ${(cause as Error).message}`,
    );
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new CniError("decodingFailure", "error unmarshall network config: it is not an object");
  const { name, cniVersion } = parsed as Record<string, unknown>;
  checkNetworkName(typeof name === "string" ? name : "");
  const version =
    typeof cniVersion === "string" && cniVersion !== "" ? cniVersion : oldestCniVersion;
  return { ...(parsed as NetworkConfig), cniVersion: version };
}

async function runCommand(plugin: CniPlugin, call: NetworkCall): Promise<object | undefined> {
  const { config, env } = call;
  const { cniVersion } = config;
  const command = env.CNI_COMMAND ?? "";
  if (!isCniVersion(cniVersion))
    throw new CniError(
      "incompatibleVersion",
      "incompatible CNI versions",
      `config is ${JSON.stringify(cniVersion)}, plugin supports ${JSON.stringify(cniVersions)}`,
    );
  if (!isAtLeast(cniVersion, since[command] ?? ""))
    throw new CniError("incompatibleVersion", `config version does not allow ${command}`);
  if (command === "GC") await plugin.gc?.(call);
  else if (command === "STATUS") await plugin.status?.(call);
  else {
    const own = pluginCall(call);
    if (command === "ADD") return writeResult(await plugin.add(own), cniVersion);
    if (command === "CHECK") await plugin.check(own);
    else await plugin.del(own);
  }
  return undefined;
}

function pluginCall(call: NetworkCall): PluginCall {
  const { config, env } = call;
  const { prevResult } = config;
  return {
    ...call,
    containerId: env.CNI_CONTAINERID ?? "",
    netns: env.CNI_NETNS ?? "",
    ifName: env.CNI_IFNAME ?? "",
    args: readArgs(env.CNI_ARGS ?? ""),
    prevResult:
      prevResult === undefined || prevResult === null
        ? undefined
        : readResult(prevResult, config.cniVersion),
  };
}

function readArgs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(";").filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at <= 0)
        throw new CniError("invalidEnvironment", `ARGS: invalid pair ${JSON.stringify(pair)}`);
      return [pair.slice(0, at).toLowerCase(), pair.slice(at + 1)];
    }),
  );
}
