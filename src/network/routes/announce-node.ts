import { Node } from "../../api/core/v1/node/node.ts";
import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import type { NetworkEnvironment } from "../network-part.ts";
import { flannelAnnotations, type Tunnel } from "./flannel-annotations.ts";

export interface NodeAnnouncement {
  readonly self: Node;
  readonly tunnels: ReadonlyMap<4 | 6, Tunnel>;
  /** Whether the routes of this node are programmed. */
  readonly isUp: boolean;
  readonly signal: AbortSignal;
}

/** Writes what others need to reach the pods of this node, and whether its network is available, unless that is known. */
export async function announceNode(
  { client, clock, nodeName: name }: NetworkEnvironment,
  { self, tunnels, isUp, signal }: NodeAnnouncement,
): Promise<void> {
  const known = self.metadata.annotations ?? {};
  const changes = Object.entries(flannelAnnotations(tunnels)).filter(
    ([key, value]) => (known[key] ?? null) !== value,
  );
  if (isUp && changes.length > 0)
    await client.patch(
      Node,
      { name },
      { merge: { metadata: { annotations: Object.fromEntries(changes) } } },
      { signal },
    );
  const before = self.status?.conditions?.find(({ type }) => type === "NetworkUnavailable");
  const { status, reason, message } = isUp ? available : unavailable;
  if (before?.status === status) return;
  const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const condition = { type: "NetworkUnavailable", status, reason, message, ...times };
  await client.patch(
    Node,
    { name },
    { strategic: { status: { conditions: [condition as NodeCondition] } } },
    { signal, subresource: "status" },
  );
}

const available = {
  status: "False",
  reason: "RouteCreated",
  message: "RouteController created a route",
} as const;

const unavailable = {
  status: "True",
  reason: "NoRouteCreated",
  message: "RouteController failed to create a route",
} as const;
