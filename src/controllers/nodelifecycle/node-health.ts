import type { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import { nodeCondition } from "../../api/core/v1/node/node-state.ts";
import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";

/**
 * What was last heard of a node, and when by the controller's own clock: the clocks of nodes are not to be
 * trusted.
 */
export interface NodeHealth {
  /** When there was last a sign of life. */
  readonly heardAt: number;
  /** The condition Ready as it was when it last counted. */
  readonly ready: NodeCondition | undefined;
  /** When the lease was renewed that was last a sign of life, by the node's clock. */
  readonly renewTime: string | undefined;
  /** Whether a lease was; without, the next one is. */
  readonly hasLease: boolean;
}

export interface Now {
  /** Of a clock that only goes forward. */
  readonly ticks: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/**
 * What is known of a node once its status and its lease were looked at. A condition that is posted for the
 * first time or anew is a sign of life, and so is a lease that was renewed. A node of which nobody has
 * posted anything lives since it was created.
 */
export function observeNode(
  known: NodeHealth | undefined,
  { node, lease }: { readonly node: Node; readonly lease: Lease | undefined },
  now: Now,
): NodeHealth {
  const ready = nodeCondition(node, "Ready");
  const health = known ?? (ready ? undefined : sinceCreation(node, now));
  const isPosted =
    ready !== undefined && health?.ready?.lastHeartbeatTime !== ready.lastHeartbeatTime;
  // A lease that was known before a status was posted counts once more afterwards, as it does upstream.
  let next: NodeHealth;
  if (health === undefined || isPosted)
    next = { heardAt: now.ticks, ready, renewTime: undefined, hasLease: false };
  else next = !ready && health.ready ? { ...health, ready } : health;
  if (!lease || !isRenewed(health, lease)) return next;
  return { ...next, heardAt: now.ticks, renewTime: lease.spec?.renewTime, hasLease: true };
}

/** Whether a node was silent for longer than it may be: at the start for longer than later. */
export function isSilent(
  { heardAt }: NodeHealth,
  node: Node,
  {
    now,
    settings: { nodeStartupGracePeriodMs, nodeMonitorGracePeriodMs },
  }: { readonly now: Now; readonly settings: NodeLifecycleSettings },
): boolean {
  const isNew = nodeCondition(node, "Ready") === undefined;
  return now.ticks > heardAt + (isNew ? nodeStartupGracePeriodMs : nodeMonitorGracePeriodMs);
}

/**
 * The conditions of a node that has been silent for too long: what its kubelet would say is not known. The
 * network is not its business.
 */
export function silentConditions(
  { metadata, status }: Node,
  now: number,
): readonly NodeCondition[] {
  const lastTransitionTime = formatTime(timeFromMillis(now));
  const conditions = (status.conditions ?? []).map((condition) =>
    kubeletConditions.includes(condition.type) && condition.status !== "Unknown"
      ? { ...condition, ...stopped, lastTransitionTime }
      : condition,
  );
  const lastHeartbeatTime = metadata.creationTimestamp ?? lastTransitionTime;
  for (const type of kubeletConditions)
    if (!conditions.some((one) => one.type === type))
      conditions.push({ type, ...never, lastHeartbeatTime, lastTransitionTime });
  return conditions;
}

const kubeletConditions: readonly string[] = [
  "Ready",
  "MemoryPressure",
  "DiskPressure",
  "PIDPressure",
];
const stopped = {
  status: "Unknown",
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
} as const;
const never = {
  status: "Unknown",
  reason: "NodeStatusNeverUpdated",
  message: "Kubelet never posted node status.",
} as const;

function sinceCreation({ metadata }: Node, now: Now): NodeHealth {
  const age = now.time - (timeOf(metadata.creationTimestamp) ?? now.time);
  return { heardAt: now.ticks - age, ready: undefined, renewTime: undefined, hasLease: false };
}

function isRenewed(health: NodeHealth | undefined, { spec }: Lease): boolean {
  if (!health?.hasLease) return true;
  if (health.renewTime === spec?.renewTime) return false;
  const [before, after] = [timeOf(health.renewTime), timeOf(spec?.renewTime)];
  return before !== undefined && after !== undefined && before < after;
}
