import type { CniPluginConfig } from "./cni-network-config.ts";

export interface PluginInput {
  readonly name: string;
  readonly cniVersion: string;
  /** The capability arguments of a pod, by their names. */
  readonly capabilityArgs?: Readonly<Record<string, unknown>> | undefined;
  readonly prevResult?: object | undefined;
  /** Those that are not garbage. */
  readonly validAttachments?: readonly ValidAttachment[] | undefined;
}

export interface ValidAttachment {
  readonly containerID: string;
  readonly ifname: string;
}

/** What a plugin reads on its standard input: its configuration, and of the call what it is capable of. */
export function pluginInput(
  { capabilities = {}, ...config }: CniPluginConfig,
  { name, cniVersion, capabilityArgs = {}, prevResult, validAttachments }: PluginInput,
): object {
  const wanted = Object.entries(capabilityArgs).filter(([key]) => capabilities[key] === true);
  const own = Object.entries(config).filter(([key]) => !key.startsWith("cni.dev/"));
  return {
    ...Object.fromEntries(own),
    ...{ cniVersion, name },
    ...(wanted.length > 0 && { runtimeConfig: Object.fromEntries(wanted) }),
    ...(prevResult !== undefined && { prevResult }),
    ...(validAttachments && {
      "cni.dev/valid-attachments": validAttachments,
      // Plugins of the first libraries for version 1.1.0 look here.
      "cni.dev/attachments": validAttachments,
    }),
  };
}
