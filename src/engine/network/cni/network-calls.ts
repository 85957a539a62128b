import { errorMessage } from "../../../base/error-message.ts";
import { checkContainerId, checkInterfaceName } from "../../../cri/cni/cni-names.ts";
import {
  type CniResult,
  emptyResult,
  readResult,
  writeResult,
} from "../../../cri/cni/cni-result.ts";
import { isAtLeast } from "../../../cri/cni/cni-version.ts";
import type { CniNetworkConfig, CniPluginConfig } from "./cni-network-config.ts";
import { invokePlugin, type PluginCall, type PluginCallOptions } from "./invoke-plugin.ts";
import { pluginInput, type ValidAttachment } from "./plugin-input.ts";

/** A network in the version in which its plugins are called. */
export interface ChosenNetwork {
  readonly config: CniNetworkConfig;
  readonly cniVersion: string;
}

/** An interface of a pod, and what all plugins are told of it. */
export interface Attachment {
  readonly containerId: string;
  readonly ifName: string;
  /** The file of the network namespace; empty if it is gone. */
  readonly netns: string;
  readonly args: readonly (readonly [name: string, value: string])[];
  readonly capabilityArgs: Readonly<Record<string, unknown>>;
}

/**
 * Chooses the highest version of a network that all of its plugins have. Where there is one only, they are not asked:
 * a plugin that lacks it says so.
 */
export async function chooseVersion(
  config: CniNetworkConfig,
  options: PluginCallOptions,
): Promise<ChosenNetwork> {
  const highest = config.cniVersions.at(-1) ?? "";
  if (config.cniVersions.length < 2) return { config, cniVersion: highest };
  const types = [...new Set(config.plugins.map(({ type }) => type))];
  const supported = await Promise.all(
    types.map((type) => supportedVersions(type, highest, options)),
  );
  const common = config.cniVersions.filter((one) =>
    supported.every((versions) => versions === undefined || versions.includes(one)),
  );
  return { config, cniVersion: common.at(-1) ?? highest };
}

/** The versions that a plugin has; undefined if it does not say them. */
async function supportedVersions(
  type: string,
  cniVersion: string,
  options: PluginCallOptions,
): Promise<readonly unknown[] | undefined> {
  try {
    const printed = await invokePlugin(
      { command: "VERSION", type, input: { cniVersion } },
      options,
    );
    const { supportedVersions: versions } = JSON.parse(printed) as { supportedVersions?: unknown };
    return Array.isArray(versions) ? versions : undefined;
  } catch {
    return undefined;
  }
}

/** Connects a pod: each plugin gets the result of the one before. */
export async function addAttachment(
  { config, cniVersion }: ChosenNetwork,
  attachment: Attachment,
  options: PluginCallOptions,
): Promise<CniResult> {
  const { name } = config;
  const { capabilityArgs } = attachment;
  checkContainerId(attachment.containerId);
  checkInterfaceName(attachment.ifName);
  let result: CniResult | undefined;
  for (const plugin of config.plugins)
    await described(plugin, "add", async () => {
      const prevResult = result && writeResult(result, cniVersion);
      const input = pluginInput(plugin, { name, cniVersion, capabilityArgs, prevResult });
      const printed = await invokePlugin(callOf("ADD", plugin, { input, attachment }), options);
      result = readResult(parsePrinted(printed), cniVersion);
    });
  return result ?? emptyResult;
}

/** Disconnects a pod, by the plugins in reverse order. */
export async function deleteAttachment(
  { config, cniVersion }: ChosenNetwork,
  attachment: Attachment & { readonly result: CniResult | undefined },
  options: PluginCallOptions,
): Promise<void> {
  const { name } = config;
  const { capabilityArgs, result } = attachment;
  const isTold = result !== undefined && isAtLeast(cniVersion, "0.4.0");
  const prevResult = isTold ? writeResult(result, cniVersion) : undefined;
  for (const plugin of [...config.plugins].reverse())
    await described(plugin, "delete", async () => {
      const input = pluginInput(plugin, { name, cniVersion, capabilityArgs, prevResult });
      try {
        await invokePlugin(callOf("DEL", plugin, { input, attachment }), options);
      } catch (error) {
        if (!isGone(errorMessage(error), attachment)) throw error;
      }
    });
}

/** Has plugins check a pod; rejects with what the first has found. Versions before 0.4.0 have no such call. */
export async function checkAttachment(
  { config, cniVersion }: ChosenNetwork,
  attachment: Attachment & { readonly result: CniResult },
  options: PluginCallOptions,
): Promise<void> {
  if (config.disableCheck || !isAtLeast(cniVersion, "0.4.0")) return;
  const { name } = config;
  const { capabilityArgs } = attachment;
  const prevResult = writeResult(attachment.result, cniVersion);
  for (const plugin of config.plugins)
    await described(plugin, "check", async () => {
      const input = pluginInput(plugin, { name, cniVersion, capabilityArgs, prevResult });
      await invokePlugin(callOf("CHECK", plugin, { input, attachment }), options);
    });
}

/** Rejects with why pods cannot be connected now. Versions before 1.1.0 have no such call. */
export async function checkStatus(
  { config, cniVersion }: ChosenNetwork,
  options: PluginCallOptions,
): Promise<void> {
  if (!isAtLeast(cniVersion, "1.1.0")) return;
  for (const plugin of config.plugins) {
    const input = pluginInput(plugin, { name: config.name, cniVersion });
    await invokePlugin({ command: "STATUS", type: plugin.type, input }, options);
  }
}

/** Has plugins release what belongs to none of the valid attachments; resolves with what has failed. */
export async function collectGarbage(
  { config, cniVersion }: ChosenNetwork,
  validAttachments: readonly ValidAttachment[],
  options: PluginCallOptions,
): Promise<readonly unknown[]> {
  if (config.disableGC || !isAtLeast(cniVersion, "1.1.0")) return [];
  const problems: unknown[] = [];
  for (const plugin of config.plugins) {
    const input = pluginInput(plugin, { name: config.name, cniVersion, validAttachments });
    await described(plugin, "gc", () =>
      invokePlugin({ command: "GC", type: plugin.type, input }, options),
    ).catch((error: unknown) => problems.push(error));
  }
  return problems;
}

function callOf(
  command: PluginCall["command"],
  { type }: CniPluginConfig,
  { input, attachment }: { readonly input: object; readonly attachment: Attachment },
): PluginCall {
  const { containerId, netns, ifName, args } = attachment;
  return {
    ...{ command, type, input },
    env: {
      CNI_CONTAINERID: containerId,
      CNI_NETNS: netns,
      CNI_IFNAME: ifName,
      CNI_ARGS: args.map(([name, value]) => `${name}=${value}`).join(";"),
    },
  };
}

/** Not all plugins succeed where nothing is left to do. */
const isGone = (problem: string, { netns }: Attachment): boolean =>
  problem.includes("not found") || (netns === "" && problem.includes("no such file or directory"));

async function described<T>(
  { type, name }: CniPluginConfig,
  action: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const named = typeof name === "string" && name !== "" ? ` name=${JSON.stringify(name)}` : "";
    throw new Error(
      `plugin type=${JSON.stringify(type)}${named} failed (${action}): ${errorMessage(cause)}`,
      { cause },
    );
  }
}

function parsePrinted(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`cannot parse its result ${JSON.stringify(text.slice(0, 200))}`, { cause });
  }
}
