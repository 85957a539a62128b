import type { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import { nodeCondition } from "../../api/core/v1/node/node-state.ts";
import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";

/**
 * The last heartbeat of a node, by the clock of the controller: the clocks of nodes are not reliable.
 */
export interface NodeHealth {
  /** The time of the last heartbeat. */
  readonly heardAt: number;
  /** The Ready condition at the last heartbeat. */
  readonly ready: NodeCondition | undefined;
  /** The renew time of the last lease that counted as a heartbeat, by the node's clock. */
  readonly renewTime: string | undefined;
  /** Whether a lease was seen; if not, the next one counts as a heartbeat. */
  readonly hasLease: boolean;
}

export interface Now {
  /** Of a monotonic clock. */
  readonly ticks: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/**
 * The health of a node after its status and lease were read. A new or updated condition is a heartbeat,
 * and so is a renewed lease. For a node without status, the creation is the last heartbeat.
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
  // As upstream, a lease from before the first status counts once more after it.
  let next: NodeHealth;
  if (health === undefined || isPosted)
    next = { heardAt: now.ticks, ready, renewTime: undefined, hasLease: false };
  else next = !ready && health.ready ? { ...health, ready } : health;
  if (!lease || !isRenewed(health, lease)) return next;
  return { ...next, heardAt: now.ticks, renewTime: lease.spec?.renewTime, hasLease: true };
}

/** Whether the last heartbeat of a node is too old; a new node has more time. */
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
 * The conditions of a node without heartbeats: all conditions of its kubelet are unknown. The network
 * condition is not the kubelet's.
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
