import { existsSync } from "node:fs";
import type { Clock } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import { KeyedLock } from "../../../base/queue/keyed-lock.ts";
import { addressesOf } from "../../../cri/cni/cni-result.ts";
import type { ConnectedPod, NetworkedPod, PodNetwork } from "../../../cri/pod-network.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { capabilityArguments } from "./capability-arguments.ts";
import type { PluginCallOptions } from "./invoke-plugin.ts";
import { loadCniNetwork } from "./load-cni-network.ts";
import {
  type Attachment,
  addAttachment,
  checkAttachment,
  checkStatus,
  chooseVersion,
  collectGarbage,
  deleteAttachment,
} from "./network-calls.ts";
import { type CachedAttachment, ResultCache } from "./result-cache.ts";

export interface CniNetworkOptions {
  /** The folder of configurations: the first valid one by name is used. */
  readonly configFolder: string;
  /** The folders of the plugins. */
  readonly pluginFolders: readonly string[];
  /** Where results are kept until a pod is disconnected. */
  readonly cacheFolder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How long all plugins together may take for a pod. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Connects pods by CNI plugins: programs that read JSON, change a network namespace, and print JSON. The
 * configuration is read for each pod, so that a change needs no restart; a pod is disconnected by the one that has
 * connected it.
 */
export class CniNetwork implements PodNetwork {
  readonly #options: CniNetworkOptions;
  readonly #cache: ResultCache;
  /** By the names of pods: an old sandbox goes before its successor is connected, or after. */
  readonly #pods = new KeyedLock();
  #podCidrs: readonly string[] = [];
  /** The problems that are logged, so that each is logged once. */
  #logged = "";
  #status: { readonly key: string; readonly at: number; readonly problem: string | undefined } = {
    ...{ key: "", at: Number.NEGATIVE_INFINITY, problem: undefined },
  };

  constructor(options: CniNetworkOptions) {
    this.#options = options;
    this.#cache = new ResultCache(options.cacheFolder);
  }

  /** Whether there is a configuration. */
  async isConfigured(): Promise<boolean> {
    return (await this.#load()).network !== undefined;
  }

  /** Whether it has connected a pod, or has begun to. */
  async hasConnected(sandboxId: string): Promise<boolean> {
    return (await this.#cache.of(sandboxId)).length > 0;
  }

  async problem(): Promise<string | undefined> {
    const { network, invalid } = await this.#load();
    if (!network)
      return invalid.length > 0 ? "cni config uninitialized" : "cni plugin not initialized";
    const key = JSON.stringify(network);
    const now = this.#options.clock.now();
    if (this.#status.key === key && now - this.#status.at < statusMs) return this.#status.problem;
    const problem = await this.#withTimeout(async (call) =>
      checkStatus(await chooseVersion(network, call), call),
    ).then(() => undefined, errorMessage);
    this.#status = { key, at: now, problem };
    return problem;
  }

  setRange(podCidrs: string): void {
    this.#podCidrs = podCidrs.split(",").filter((one) => one !== "");
  }

  /** Disconnects pods that are gone, has plugins release what is left of them, and checks the others. */
  async takeOver(pods: readonly ConnectedPod[], damaged: readonly string[]): Promise<void> {
    const { log } = this.#options;
    const valid = new Set([...pods.map(({ sandboxId }) => sandboxId), ...damaged]);
    const cached = await this.#cache.all();
    for (const attachment of cached.filter(({ containerId }) => !valid.has(containerId)))
      await this.#delete(attachment).catch((error: unknown) =>
        log.error("disconnecting a pod that is gone failed", error, { id: attachment.containerId }),
      );
    const { network } = await this.#load();
    if (!network) return;
    const attachments = [...valid].map((containerID) => ({ containerID, ifname: ifName }));
    const problems = await this.#withTimeout(async (call) =>
      collectGarbage(await chooseVersion(network, call), attachments, call),
    ).catch((error: unknown) => [error]);
    for (const problem of problems) log.error("releasing what pods have left failed", problem);
  }

  /** Why the network of a pod is not as its plugins have made it; undefined if it is, or if they cannot say. */
  async check(sandboxId: string): Promise<string | undefined> {
    for (const attachment of await this.#cache.of(sandboxId)) {
      const { result } = attachment;
      if (!result) continue;
      const problem = await this.#withTimeout((call) =>
        checkAttachment(attachment, { ...attachment, result }, call),
      ).then(() => undefined, errorMessage);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  add(pod: NetworkedPod): Promise<readonly string[]> {
    return this.#pods.run(nameOf(pod), () => this.#add(pod));
  }

  remove(pod: NetworkedPod): Promise<void> {
    return this.#pods.run(nameOf(pod), () => this.#remove(pod));
  }

  async #add(pod: NetworkedPod): Promise<readonly string[]> {
    const { network } = await this.#load();
    if (!network) throw new Error("cni plugin not initialized");
    const attachment: Attachment = {
      ...{ containerId: pod.sandboxId, ifName, netns: pod.namespace, args: podArguments(pod) },
      capabilityArgs: capabilityArguments(pod.config, this.#podCidrs),
    };
    return this.#withTimeout(async (call) => {
      const chosen = await chooseVersion(network, call);
      // With this the pod can be disconnected, even if the next step is interrupted.
      const begun: CachedAttachment = { ...chosen, ...attachment, result: undefined };
      await this.#cache.write(begun);
      await mustRun("nsenter", [`--net=${pod.namespace}`, "ip", "link", "set", "lo", "up"]);
      const result = await addAttachment(chosen, attachment, call);
      await this.#cache.write({ ...begun, result });
      const addresses = addressesOf(result, ifName);
      if (addresses.length === 0)
        throw new Error(`failed to find network info for sandbox ${JSON.stringify(pod.sandboxId)}`);
      return addresses;
    });
  }

  async #remove(pod: NetworkedPod): Promise<void> {
    const cached = await this.#cache.of(pod.sandboxId);
    for (const attachment of cached) await this.#delete(attachment);
    if (cached.length > 0) return;
    // What it was connected by is not known: the configuration of today is the best guess.
    const { network } = await this.#load();
    if (!network) return;
    await this.#withTimeout(async (call) => {
      const chosen = await chooseVersion(network, call);
      await deleteAttachment(chosen, { ...unknownAttachment(pod), result: undefined }, call);
    });
  }

  async #delete(attachment: CachedAttachment): Promise<void> {
    // A namespace that is gone has no interfaces to remove.
    const netns = existsSync(attachment.netns) ? attachment.netns : "";
    await this.#withTimeout((call) => deleteAttachment(attachment, { ...attachment, netns }, call));
    await this.#cache.remove(attachment);
  }

  async #load(): ReturnType<typeof loadCniNetwork> {
    const loaded = await loadCniNetwork(this.#options.configFolder);
    const logged = JSON.stringify(loaded.invalid);
    if (logged !== this.#logged)
      for (const one of loaded.invalid)
        this.#options.log.warn("a CNI configuration is invalid and is skipped", one);
    this.#logged = logged;
    return loaded;
  }

  async #withTimeout<T>(work: (options: PluginCallOptions) => Promise<T>): Promise<T> {
    const { pluginFolders, timeoutMs = mostMs } = this.#options;
    const limit = new AbortController();
    const timer = setTimeout(
      () => limit.abort(new Error(`netplugin did not end within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    try {
      return await work({ pluginFolders, signal: limit.signal });
    } finally {
      clearTimeout(timer);
    }
  }
}

const ifName = "eth0";
/** As long as kubelets have always given plugins. */
const mostMs = 220_000;
/** How long a status is believed: kubelets ask every few seconds, and each plugin is a process. */
const statusMs = 15_000;

const nameOf = ({ config: { metadata } }: NetworkedPod): string =>
  `${metadata.namespace}/${metadata.name}`;

const podArguments = ({ sandboxId, config: { metadata } }: NetworkedPod): Attachment["args"] => [
  ["IgnoreUnknown", "1"],
  ["K8S_POD_NAMESPACE", metadata.namespace],
  ["K8S_POD_NAME", metadata.name],
  ["K8S_POD_INFRA_CONTAINER_ID", sandboxId],
  ["K8S_POD_UID", metadata.uid],
];

const unknownAttachment = (pod: NetworkedPod): Attachment => ({
  ...{ containerId: pod.sandboxId, ifName, args: podArguments(pod), capabilityArgs: {} },
  netns: existsSync(pod.namespace) ? pod.namespace : "",
});
