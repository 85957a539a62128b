import type { CniResult } from "../../cri/cni/cni-result.ts";

/** A plugin of CNI. What it throws is printed as an error. */
export interface CniPlugin {
  /** Creates or changes an interface; resolves with what there is now. */
  add(call: PluginCall): Promise<CniResult>;
  /** Releases what `add` made, as far as it is there. */
  del(call: PluginCall): Promise<void>;
  check(call: PluginCall): Promise<void>;
  /** Releases what belongs to none of the valid attachments. */
  gc?(call: NetworkCall): Promise<void>;
  /** Throws if pods cannot be connected now. */
  status?(call: NetworkCall): Promise<void>;
}

/** A call for a network as a whole. */
export interface NetworkCall {
  readonly config: NetworkConfig;
  /** The text of the configuration, for the plugins that this one runs. */
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A call for an interface of a pod. */
export interface PluginCall extends NetworkCall {
  readonly containerId: string;
  /** The file of the network namespace; empty if it is gone. */
  readonly netns: string;
  readonly ifName: string;
  /** Those of the environment, by their names in lower case. */
  readonly args: Readonly<Record<string, string>>;
  readonly prevResult: CniResult | undefined;
}

/** A configuration: fields that any plugin may have, and its own. */
export interface NetworkConfig {
  readonly cniVersion: string;
  readonly name: string;
  readonly type?: string | undefined;
  readonly ipam?: Readonly<Record<string, unknown>> | undefined;
  readonly dns?: Readonly<Record<string, unknown>> | undefined;
  readonly runtimeConfig?: Readonly<Record<string, unknown>> | undefined;
  readonly args?: { readonly cni?: Readonly<Record<string, unknown>> } | undefined;
  readonly "cni.dev/valid-attachments"?: readonly ValidAttachment[] | undefined;
  readonly "cni.dev/attachments"?: readonly ValidAttachment[] | undefined;
  readonly [field: string]: unknown;
}

export interface ValidAttachment {
  readonly containerID: string;
  readonly ifname: string;
}

/** The attachments that are not garbage; undefined if the runtime does not say. */
export const validAttachments = ({ config }: NetworkCall): readonly ValidAttachment[] | undefined =>
  config["cni.dev/valid-attachments"] ?? config["cni.dev/attachments"];
