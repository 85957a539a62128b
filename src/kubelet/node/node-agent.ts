import { Node } from "../../api/core/v1/node/node.ts";
import { isNodeReady } from "../../api/core/v1/node/node-state.ts";
import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import { isExtendedResource } from "../../api/core/v1/resource-name.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { sleep, steadyTimeOf } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { KubeletEvents } from "../kubelet-events.ts";
import { type CurrentStatusOptions, currentStatus } from "./current-status.ts";
import { addressAnnotation, defaultLabels, initialNode } from "./initial-node.ts";
import { createNodeAnnouncer } from "./node-announcer.ts";
import { nodePatch } from "./node-patch.ts";
import { hasNodeChanged } from "./node-status.ts";

/** Registers a node, and keeps its status up to date. */
export interface NodeAgent {
  /** Finds out how the node will be registered, so that pods can run on it before. */
  prepare(): Promise<void>;
  /** Resolves when the node is registered, or prepared if others register it. */
  register(signal: AbortSignal): Promise<void>;
  /** Writes the node's status if it changed, or was not written for five minutes. */
  refresh(): Promise<void>;
  /** Writes the status of a node that starts as soon as it is ready; gives up after two minutes. */
  awaitReady(signal: AbortSignal): Promise<void>;
  /** The node, or what is known of it so far. */
  readonly node: Node | undefined;
}

export interface NodeAgentOptions extends CurrentStatusOptions {
  readonly client: Client;
  readonly events: KubeletEvents;
  readonly log: Log;
  /** The node in the cache; undefined if it was deleted. */
  readonly stored: () => Node | undefined;
  /** Whether the machine was replaced: the devices that its node is said to have are not there. */
  readonly isNewMachine?: (() => boolean) | undefined;
  /** Spreads the regular writes of nodes that changed together. */
  readonly random?: Random | undefined;
}

export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const { config, client, clock, log, stored, random } = options;
  const { reportMs = 5 * 60_000 } = config;
  const key = { name: config.name };
  const announcer = createNodeAnnouncer(config.name, options.events);
  const steadyTime = steadyTimeOf(clock);
  let known: Node | undefined;
  let initial: Node | undefined;
  let reportedAt = 0;
  let reportDelayMs = 0;

  const current = (previous: Partial<NodeStatus>): Promise<NodeStatus> =>
    currentStatus(options, previous);
  const prepare = async (): Promise<void> => {
    initial = initialNode(config, await current({})) as Node;
  };
  const register = async (): Promise<void> => {
    const initial = initialNode(config, await current({}));
    try {
      known = await client.create(Node, initial as never);
      announcer.registered(known);
      reportedAt = steadyTime();
      return;
    } catch (error) {
      if (!StatusError.is(error, "AlreadyExists")) throw error;
    }
    const found = await client.get(Node, key);
    const labels = { ...found.metadata.labels, ...defaultLabels(initial) };
    const annotations = { ...found.metadata.annotations, ...addressAnnotation(config) };
    const changed = { ...found, metadata: { ...found.metadata, labels, annotations } };
    const before = options.isNewMachine?.() ? withoutDevices(found.status) : found.status;
    await write(found, { ...changed, status: await current(before) });
  };
  const write = async (before: Node, after: Node): Promise<void> => {
    const patch = nodePatch(before, after);
    known = await client.patch(Node, key, { strategic: patch as never }, { subresource: "status" });
    announcer.changed(before, after);
    reportedAt = steadyTime();
  };
  const writeUnlessGone = (before: Node, after: Node): Promise<void> =>
    write(before, after).catch((error: unknown) => {
      if (!StatusError.is(error, "NotFound", "Conflict"))
        log.warn("writing node status failed", { node: config.name, error });
    });

  return {
    get node() {
      return stored() ?? known ?? initial;
    },
    prepare,
    async register(signal) {
      announcer.starting();
      // Pods run on the node as it would be, until it exists.
      if (config.isRegisteredByOthers) return prepare();
      for (let wait = 200; ; wait = Math.min(wait * 2, 7000)) {
        signal.throwIfAborted();
        try {
          return await register();
        } catch (error) {
          log.warn("registering the node failed", { node: config.name, error });
        }
        await sleep(clock, wait, signal);
      }
    },
    async refresh() {
      const before = stored();
      if (!before) return;
      announcer.seen(before);
      const status = await current(before.status);
      const isChanged = hasNodeChanged(before.status, status);
      if (!isChanged && steadyTime() - reportedAt < reportMs + reportDelayMs) return;
      reportDelayMs = isChanged && random ? reportMs * (random.next() - 0.5) : 0;
      await writeUnlessGone(before, { ...before, status });
    },
    async awaitReady(signal) {
      const end = steadyTime() + startMs;
      while (steadyTime() < end) {
        const before = stored() ?? known;
        // The cache may not have the latest write yet.
        if (!before || [before, known].some((node) => node && isNodeReady(node))) return;
        await sleep(clock, startPollMs, signal);
        const after = { ...before, status: await current(before.status) };
        if (isNodeReady(after)) await writeUnlessGone(before, after);
      }
    },
  };
}

/** Without extended resources: they are zero until somebody provides them again. */
function withoutDevices(status: NodeStatus): NodeStatus {
  const zeroed = (amounts: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.entries(amounts).map(([name, amount]) => [
        name,
        isExtendedResource(name) ? "0" : amount,
      ]),
    );
  const { capacity, allocatable } = status;
  return { ...status, capacity: zeroed(capacity), allocatable: zeroed(allocatable) };
}

/** How long a node may take to become ready, and how often it is looked at meanwhile. */
const startMs = 2 * 60_000;
const startPollMs = 100;
