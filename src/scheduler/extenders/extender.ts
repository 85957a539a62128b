import { type Clock, DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import type { Transport } from "../../client/transport.ts";
import { durationMillis } from "../../schema/values/duration.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Extender as ExtenderConfiguration } from "../configuration/scheduler-configuration.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { Snapshot } from "../framework/snapshot.ts";
import type { Candidate } from "../plugins/default-preemption/candidate.ts";
import {
  candidatesIn,
  candidatesMessage,
  type ExtenderScore,
  memberOf,
  nodesMessage,
  reasonsIn,
  remainingNames,
  scoresIn,
} from "./extender-messages.ts";

/** A connection to an extender; `close` ends it. */
export type ExtenderTransport = Transport & { close?(): void };

export interface ExtenderOptions {
  readonly transport: ExtenderTransport;
  readonly clock: Clock;
  /** Aborts calls when the scheduler stops. */
  readonly signal: AbortSignal;
}

/** The nodes that an extender leaves, and why it rejected others. */
export interface ExtenderFilterResult {
  readonly nodes: readonly NodeInfo[];
  readonly failed: ReadonlyMap<string, string>;
  /** Nodes where preemption would not help. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

/** A service that takes part in scheduling, over HTTP. */
export class Extender {
  readonly #configuration: ExtenderConfiguration;
  readonly #options: ExtenderOptions;
  readonly #managed: ReadonlySet<string>;

  constructor(configuration: ExtenderConfiguration, options: ExtenderOptions) {
    this.#configuration = configuration;
    this.#options = options;
    this.#managed = new Set(configuration.managedResources?.map(({ name }) => name));
  }

  get name(): string {
    return this.#configuration.urlPrefix;
  }

  /** Whether pods are scheduled without it when it fails. */
  get isIgnorable(): boolean {
    return this.#configuration.ignorable ?? false;
  }

  get filters(): boolean {
    return Boolean(this.#configuration.filterVerb);
  }

  get prioritizes(): boolean {
    return Boolean(this.#configuration.prioritizeVerb);
  }

  get preempts(): boolean {
    return Boolean(this.#configuration.preemptVerb);
  }

  get binds(): boolean {
    return Boolean(this.#configuration.bindVerb);
  }

  /** Whether it has a say for a pod: it manages all pods, or a resource that the pod requests. */
  isInterested({ pod: { spec } }: PodInfo): boolean {
    if (this.#managed.size === 0) return true;
    return [...spec.containers, ...(spec.initContainers ?? [])].some(({ resources = {} }) =>
      [resources.requests, resources.limits].some((amounts) =>
        Object.keys(amounts ?? {}).some((name) => this.#managed.has(name)),
      ),
    );
  }

  async filter(pod: PodInfo, nodes: readonly NodeInfo[]): Promise<ExtenderFilterResult> {
    const { filterVerb = "", nodeCacheCapable = false } = this.#configuration;
    const response = await this.#send(
      filterVerb,
      nodesMessage(pod, { nodes, byName: nodeCacheCapable }),
    );
    throwReported(response);
    const left = remainingNames(response, nodeCacheCapable).map((name) => {
      const found = nodes.find((node) => node.name === name);
      if (found) return found;
      throw new Error(
        `extender ${quote(this.name)} claims a filtered node ${quote(String(name))} which is not found in the input node list`,
      );
    });
    return {
      nodes: left,
      failed: reasonsIn(memberOf(response, "FailedNodes")),
      unresolvable: reasonsIn(memberOf(response, "FailedAndUnresolvableNodes")),
    };
  }

  /** Returns the weighted scores of nodes. */
  async prioritize(pod: PodInfo, nodes: readonly NodeInfo[]): Promise<readonly ExtenderScore[]> {
    const { prioritizeVerb = "", nodeCacheCapable = false, weight = 0 } = this.#configuration;
    const message = nodesMessage(pod, { nodes, byName: nodeCacheCapable });
    const scores = scoresIn(await this.#send(prioritizeVerb, message));
    return scores.map(({ node, score }) => ({ node, score: score * Number(weight) }));
  }

  async bind({ name, namespace, uid }: PodInfo, node: string): Promise<void> {
    const message = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node };
    throwReported(await this.#send(this.#configuration.bindVerb ?? "", message));
  }

  /** Returns the nodes where others may be evicted for the pod, with the pods to evict. */
  async preempt(
    pod: PodInfo,
    candidates: readonly Candidate[],
    snapshot: Snapshot,
  ): Promise<readonly Candidate[]> {
    const { preemptVerb = "", nodeCacheCapable = false } = this.#configuration;
    const message = candidatesMessage(pod, { candidates, byUid: nodeCacheCapable });
    return candidatesIn(await this.#send(preemptVerb, message), snapshot, this.name);
  }

  close(): void {
    this.#options.transport.close?.();
  }

  async #send(verb: string, body: object): Promise<unknown> {
    const { urlPrefix, httpTimeout = "0s" } = this.#configuration;
    const { transport, clock, signal: parent } = this.#options;
    const url = `${urlPrefix.replace(/\/+$/, "")}/${verb}`;
    const ms = durationMillis(httpTimeout) || defaultTimeoutMs;
    const { status, value } = await withDeadline({ clock, ms, signal: parent }, async (signal) => {
      const path = `/${verb}`;
      const headers = { "content-type": "application/json" };
      const response = await transport({ method: "POST", path, query: "", headers, body, signal });
      return { status: response.status, value: await response.value() };
    }).catch((cause: unknown) => {
      const message =
        cause instanceof DeadlineExceeded
          ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
          : (cause as Error).message;
      throw new Error(`Post ${quote(url)}: ${message}`, { cause });
    });
    if (status !== 200)
      throw new Error(`failed ${verb} with extender at URL ${url}, code ${status}`);
    // Extenders need not say that their responses are JSON.
    return typeof value === "string" ? JSON.parse(value) : value;
  }
}

const defaultTimeoutMs = 5000;

/** Throws the error that an extender reports in its response. */
function throwReported(response: unknown): void {
  const error = memberOf(response, "Error");
  if (error) throw new Error(String(error));
}
