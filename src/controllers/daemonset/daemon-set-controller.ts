import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { DaemonSetStatus } from "../../api/apps/v1/daemon-set-spec.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { nextAvailableMs } from "../../api/core/v1/pod/pod-state.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  KindIndex,
  ReconcileContext,
  ReconcileResult,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { slowStart } from "../../controller-runtime/reconcile/slow-start.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { claimObjects } from "../claim-objects.ts";
import { createPod, deletePod } from "../pod-control.ts";
import { nonEmptySelector, possibleOwners, selectsAll } from "../possible-owners.ts";
import { daemonPod, targetNode } from "./daemon-pod.ts";
import { cleanUpHistory, syncHistory } from "./daemon-set-history.ts";
import { daemonSetPlacement, type Placement } from "./daemon-set-placement.ts";
import { daemonSetStatus } from "./daemon-set-status.ts";
import { FailedPodBackoff } from "./failed-pod-backoff.ts";
import { maxSurge, planDaemonUpdate } from "./plan-daemon-update.ts";
import { type NodePlan, planNode } from "./plan-node.ts";

/** How many pods one step creates or deletes at most. */
const burst = 250;

/** Keeps one pod of each daemon set on every node that it selects. */
export function daemonSetController(): Controller {
  const backoff = new FailedPodBackoff();
  return controller({
    name: "daemonset-controller",
    for: DaemonSet,
    owns: [Pod, ControllerRevision],
    indexes: [podsByTarget],
    watches: [
      { kind: Pod, map: adopters },
      { kind: ControllerRevision, map: adopters },
      { kind: Node, predicates: [matters], map: affectedDaemonSets },
    ],

    async reconcile(key, ctx) {
      const daemonSet = await ctx.cache.get(DaemonSet, key);
      if (!daemonSet) return undefined;
      if (selectsAll(daemonSet.spec.selector)) {
        const note = "This daemon set is selecting all pods. A non-empty selector is required.";
        ctx.events.record(daemonSet, { type: "Warning", reason: "SelectingAll", note });
        return undefined;
      }
      // Its revisions may be gone already, so that no status could be computed.
      if (daemonSet.metadata.deletionTimestamp) return undefined;
      return sync(ctx, daemonSet, backoff);
    },
  });
}

/** An index of the pods of daemon sets by the node for which they are made. */
const podsByTarget: KindIndex = {
  kind: Pod,
  name: "daemon-set-node",
  valuesOf(object) {
    const pod = object as Pod;
    const node = controllerOf(pod)?.kind === "DaemonSet" ? targetNode(pod) : undefined;
    return node === undefined ? [] : [node];
  },
};

/** Whether a node changed in what daemon sets look at. */
const matters = (event: {
  readonly type: string;
  readonly object: Node;
  readonly old?: Node;
}): boolean =>
  !event.old ||
  !sameJson(event.object.metadata.labels ?? {}, event.old.metadata.labels ?? {}) ||
  !sameJson(event.object.spec.taints ?? [], event.old.spec.taints ?? []);

/** The daemon sets that may adopt an orphan. */
const adopters = possibleOwners(DaemonSet, ({ spec }) => nonEmptySelector(spec.selector));

/** The daemon sets that have a pod on a node, or should have one. */
async function affectedDaemonSets(
  node: Node,
  { cache }: { readonly cache: Cache },
): Promise<readonly ObjectKey[]> {
  const pods = await cache.byIndex(Pod, podsByTarget.name, node.metadata.name ?? "");
  const owners = new Set(pods.map((pod) => controllerOf(pod)?.uid));
  const all = await cache.list(DaemonSet);
  return all
    .filter((one) => owners.has(one.metadata.uid) || daemonSetPlacement(one)(node).shouldRun)
    .map((one) => keyOf(one));
}

/** A node, or the name of one that is gone, with the pods of a daemon set. */
interface NodeState {
  readonly name: string;
  readonly exists: boolean;
  readonly placement: Placement;
  readonly pods: readonly Pod[];
}

async function sync(
  ctx: ReconcileContext,
  daemonSet: DaemonSet,
  backoff: FailedPodBackoff,
): Promise<ReconcileResult | undefined> {
  const pods = await claimPods(ctx, daemonSet);
  const { hash, old } = await syncHistory(ctx, daemonSet, pods);
  const waits: number[] = [];
  let fault: { readonly error: unknown } | undefined;
  try {
    const before = await nodeStates(ctx, daemonSet, pods);
    const { wait, isDone } = await manage(ctx, { daemonSet, hash, backoff }, before);
    if (wait !== undefined) waits.push(wait);
    // Events of what was created or deleted enqueue the daemon set again.
    if (isDone && daemonSet.spec.updateStrategy.type === "RollingUpdate")
      await rollOut(ctx, { daemonSet, hash }, before);
    await cleanUpHistory(ctx, daemonSet, { old, pods: await claimPods(ctx, daemonSet) });
  } catch (error) {
    fault = { error };
  }
  const now = ctx.clock.now();
  const nodes = await nodeStates(ctx, daemonSet, await claimPods(ctx, daemonSet));
  const status = daemonSetStatus(daemonSet, {
    nodes: nodes
      .filter(({ exists }) => exists)
      .map(({ placement, pods: there }) => ({ shouldRun: placement.shouldRun, pods: there })),
    hash,
    now,
  });
  try {
    await writeStatus(ctx, daemonSet, status);
  } catch (error) {
    fault ??= { error };
  }
  if (fault) throw fault.error;
  const { minReadySeconds = 0 } = daemonSet.spec;
  // During a surge, the second pod of a node is in no count, and yet the rollout waits for it.
  const next = nextAvailableMs(
    nodes.flatMap((node) => node.pods),
    minReadySeconds,
    now,
  );
  if (next !== undefined) waits.push(next);
  return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
}

/** The pods of a daemon set, after adoption and release. */
async function claimPods(ctx: ReconcileContext, daemonSet: DaemonSet): Promise<readonly Pod[]> {
  const selector = labelSelector(daemonSet.spec.selector);
  const controlled = await ctx.cache.controlledBy(Pod, daemonSet);
  const orphans = await ctx.cache.orphans(Pod, daemonSet.metadata.namespace);
  const matches = ({ metadata }: Pod): boolean => selector.matches(metadata.labels);
  const claims = { owner: daemonSet, ownerKind: DaemonSet, kind: Pod, matches };
  return claimObjects(ctx, claims, [...controlled, ...orphans]);
}

/** The nodes of a cluster, and those that only pods name, sorted by name. */
async function nodeStates(
  { cache }: ReconcileContext,
  daemonSet: DaemonSet,
  pods: readonly Pod[],
): Promise<readonly NodeState[]> {
  const placementOn = daemonSetPlacement(daemonSet);
  const byName = new Map<string, Pod[]>();
  for (const pod of pods) {
    const { metadata, status } = pod;
    const hasEnded = status.phase === "Failed" || status.phase === "Succeeded";
    const name = targetNode(pod);
    // What has terminated and is being deleted needs nothing any more.
    if (name === undefined || (hasEnded && metadata.deletionTimestamp)) continue;
    byName.set(name, [...(byName.get(name) ?? []), pod]);
  }
  const nodes = await cache.list(Node);
  const known = nodes.map((node): NodeState => {
    const { name = "" } = node.metadata;
    return { name, exists: true, placement: placementOn(node), pods: byName.get(name) ?? [] };
  });
  const names = new Set(known.map(({ name }) => name));
  const gone = [...byName].flatMap(([name, there]): NodeState[] =>
    names.has(name)
      ? []
      : [{ name, exists: false, placement: { shouldRun: false, mayStay: false }, pods: there }],
  );
  return [...known, ...gone].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Current {
  readonly daemonSet: DaemonSet;
  readonly hash: string;
}

/** Creates and deletes pods where nodes need it; `wait` is when a failed pod may be replaced. */
async function manage(
  ctx: ReconcileContext,
  { daemonSet, hash, backoff }: Current & { readonly backoff: FailedPodBackoff },
  nodes: readonly NodeState[],
): Promise<{ readonly wait: number | undefined; readonly isDone: boolean }> {
  const { minReadySeconds = 0 } = daemonSet.spec;
  const common = {
    surges: maxSurge(daemonSet, 1) > 0,
    hash,
    minReadySeconds,
    now: ctx.clock.now(),
  };
  const creates: string[] = [];
  const deletes: Pod[] = [];
  const waits: number[] = [];
  for (const { name, exists, placement, pods } of nodes) {
    if (!exists) {
      // No kubelet and no collector deletes pods that wait for a node that is gone.
      deletes.push(
        ...pods.filter(({ metadata, spec }) => !spec.nodeName && !metadata.deletionTimestamp),
      );
      continue;
    }
    const plan = planNode({ ...common, placement, pods });
    if (plan.creates) creates.push(name);
    const { replaced, wait } = replacedPods(ctx, { daemonSet, backoff, name }, plan);
    deletes.push(...plan.excess, ...replaced);
    if (wait > 0) waits.push(wait);
  }
  await apply(ctx, { daemonSet, hash }, { creates, deletes });
  return {
    wait: waits.length > 0 ? Math.min(...waits) : undefined,
    isDone: creates.length + deletes.length === 0,
  };
}

/** The terminated pods of a node that are deleted now, each with an event. */
function replacedPods(
  { events, clock }: ReconcileContext,
  {
    daemonSet,
    backoff,
    name,
  }: {
    readonly daemonSet: DaemonSet;
    readonly backoff: FailedPodBackoff;
    readonly name: string;
  },
  { failed, succeeded }: NodePlan,
): { readonly replaced: readonly Pod[]; readonly wait: number } {
  const { metadata, status } = daemonSet;
  const replaced: Pod[] = [];
  let wait = 0;
  for (const pod of failed) {
    const key = `${metadata.uid}/${status.observedGeneration ?? 0}/${name}`;
    wait = backoff.next(key, clock);
    if (wait > 0) continue;
    const note = `Found failed daemon pod ${textOf(pod)} on node ${name}, will try to kill it`;
    events.record(daemonSet, { type: "Warning", reason: "FailedDaemonPod", note });
    replaced.push(pod);
  }
  for (const pod of succeeded) {
    const note = `Found succeeded daemon pod ${textOf(pod)} on node ${name}, will try to delete it`;
    events.record(daemonSet, { type: "Normal", reason: "SucceededDaemonPod", note });
    replaced.push(pod);
  }
  return { replaced, wait };
}

const textOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

async function rollOut(
  ctx: ReconcileContext,
  { daemonSet, hash }: Current,
  states: readonly NodeState[],
): Promise<void> {
  const nodes = states
    .filter(({ placement, pods }) => placement.shouldRun || pods.length > 0)
    .map(({ name, placement, pods }) => ({ name, shouldRun: placement.shouldRun, pods }));
  const plan = planDaemonUpdate({ daemonSet, hash, nodes, now: ctx.clock.now() });
  await apply(ctx, { daemonSet, hash }, plan);
}

/** Creates pods on nodes and deletes others; rejects with the first error once all is tried. */
async function apply(
  ctx: ReconcileContext,
  { daemonSet, hash }: Current,
  { creates, deletes }: { readonly creates: readonly string[]; readonly deletes: readonly Pod[] },
): Promise<void> {
  const names = creates.slice(0, burst);
  const created = await slowStart(names.length, (index) =>
    createPod(ctx, daemonSet, daemonPod(daemonSet, names[index] ?? "", hash)),
  );
  const deleted = await Promise.allSettled(
    deletes.slice(0, burst).map((pod) => deletePod(ctx, daemonSet, pod)),
  );
  if ("error" in created) throw created.error;
  const failed = deleted.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/** Writes a status that differs; after a conflict, once more on the latest version. */
async function writeStatus(
  { client, signal }: ReconcileContext,
  daemonSet: DaemonSet,
  status: DaemonSetStatus,
): Promise<void> {
  if (sameJson(status, daemonSet.status)) return;
  const how = { subresource: "status", signal };
  try {
    await client.update(DaemonSet, { ...daemonSet, status }, how);
  } catch (error) {
    if (!StatusError.is(error, "Conflict")) throw error;
    const fresh = await client.get(DaemonSet, keyOf(daemonSet), { signal });
    if (fresh.metadata.uid !== daemonSet.metadata.uid) return;
    const { collisionCount } = fresh.status;
    const latest = { ...status, ...(collisionCount !== undefined && { collisionCount }) };
    await client.update(DaemonSet, { ...fresh, status: latest }, how);
  }
}
