import { Node } from "../../api/core/v1/node/node.ts";
import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import type { ImageService } from "../../cri/image-service.ts";
import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { shapeOf } from "../../schema/language/shape.ts";
import { createTwoWayMergePatch } from "../../schema/strategic-merge/create-merge-patch.ts";
import type { KubeletEvents } from "../kubelet-events.ts";
import type { NodeConfig } from "./node-config.ts";
import {
  defaultLabels,
  hasNodeChanged,
  initialNode,
  nodeStatus,
  nodeTransitions,
} from "./node-status.ts";

/** Registers a node, and keeps its status up to date. */
export interface NodeAgent {
  /** Resolves when the node is registered. */
  register(signal: AbortSignal): Promise<void>;
  /** Writes the node's status if it changed, or was not written for five minutes. */
  refresh(): Promise<void>;
  /** The node, or what is known of it so far. */
  readonly node: Node | undefined;
}

export interface NodeAgentOptions {
  readonly config: NodeConfig;
  readonly client: Client;
  readonly images: ImageService;
  readonly events: KubeletEvents;
  readonly clock: Clock;
  readonly log: Log;
  /** The node in the cache; undefined if it was deleted. */
  readonly stored: () => Node | undefined;
}

export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const { config, client, images, events, clock, log, stored } = options;
  const key = { name: config.name };
  let known: Node | undefined;
  let reportedAt = 0;

  const current = async (previous: Partial<NodeStatus>): Promise<NodeStatus> =>
    nodeStatus({ config, previous, images: await images.listImages(), now: clock.now() });
  const recordEvents = (reasons: readonly string[]): void => {
    for (const reason of reasons) {
      const message = `Node ${config.name} status is now: ${reason}`;
      events.node({ metadata: key } as Node, { type: "Normal", reason, message });
    }
  };

  const register = async (): Promise<void> => {
    const initial = initialNode(config, await current({}));
    try {
      known = await client.create(Node, initial as never);
      recordEvents(nodeTransitions([]));
      reportedAt = clock.now();
      return;
    } catch (error) {
      if (!StatusError.is(error, "AlreadyExists")) throw error;
    }
    const found = await client.get(Node, key);
    const labels = { ...found.metadata.labels, ...defaultLabels(initial) };
    await report(found, { ...found, metadata: { ...found.metadata, labels } });
  };
  /** Writes the node's status together with other changes. */
  const report = async (before: Node, changed: Node = before): Promise<void> => {
    const status = await current(before.status);
    const patch = nodePatch(before, { ...changed, status });
    const reasons = nodeTransitions(before.status.conditions ?? []);
    known = await client.patch(Node, key, { strategic: patch as never }, { subresource: "status" });
    recordEvents(reasons);
    reportedAt = clock.now();
  };

  return {
    get node() {
      return stored() ?? known;
    },
    async register(signal) {
      const event = { type: "Normal", reason: "Starting", message: "Starting kubelet." } as const;
      events.node({ metadata: key } as Node, event);
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
      const isDue = clock.now() - reportedAt >= reportEveryMs;
      if (!isDue && !hasNodeChanged(before.status, await current(before.status))) return;
      await report(before).catch((error: unknown) => {
        if (!StatusError.is(error, "NotFound", "Conflict"))
          log.warn("writing node status failed", { node: config.name, error });
      });
    },
  };
}

const reportEveryMs = 5 * 60_000;

/**
 * The patch from one node to another. The addresses are sent as a whole: several may be of one type,
 * which is their key.
 */
function nodePatch(before: Node, after: Node): ReadonlyJsonMap {
  const patch = createTwoWayMergePatch(
    nodeShape,
    before as unknown as ReadonlyJsonMap,
    after as unknown as ReadonlyJsonMap,
  );
  const { status } = patch;
  if (!isMap(status) || !Object.hasOwn(status, "addresses")) return patch;
  const { "$setElementOrder/addresses": _, ...rest } = status;
  const addresses = [...(after.status.addresses ?? []), { $patch: "replace" }];
  return { ...patch, status: { ...rest, addresses } };
}

const nodeShape = shapeOf(Node.struct);
