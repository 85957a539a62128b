import { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodActive, isPodTerminating, nextAvailableMs } from "../../api/core/v1/pod/pod-state.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/pod-template.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { type KubernetesObject, keyOf, type ResourceKind } from "../../client/resource-kind.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { slowStart } from "../../controller-runtime/reconcile/slow-start.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import type { Selector } from "../../schema/selectors/label-selector.ts";
import { claimObjects } from "../claim-objects.ts";
import { createPod, deletePod } from "../pod-control.ts";
import { podFromTemplate } from "../pod-from-template.ts";
import { possibleOwners } from "../possible-owners.ts";
import { deletionOrder } from "./deletion-order.ts";
import type { ReplicaSetFacts } from "./replica-set-status.ts";

/** How many pods a reconcile creates or deletes at most. */
const burst = 500;

/** An object that keeps a number of equal pods running. */
export interface Replicated extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number | undefined;
    readonly minReadySeconds?: number | undefined;
    readonly template?: PodTemplateSpec | undefined;
  };
  readonly status: {
    readonly readyReplicas?: number | undefined;
    readonly availableReplicas?: number | undefined;
  };
}

/** What distinguishes the kinds whose objects keep a number of equal pods running. */
export interface ReplicatedKind<O extends Replicated> {
  /** The name of the controller. */
  readonly name: string;
  /** The reporting controller in its events; its name if not given. */
  readonly eventSource?: string | undefined;
  readonly for: ResourceKind<O>;
  readonly selectorOf: (object: O) => Selector;
  readonly statusOf: (object: O, facts: ReplicaSetFacts) => O["status"];
}

/** Creates and deletes the pods of objects that keep a number of equal pods running. */
export function replicasController<O extends Replicated>(
  replicated: ReplicatedKind<O>,
): Controller {
  const { name, eventSource, for: kind, selectorOf, statusOf } = replicated;
  return controller({
    name,
    eventSource,
    for: kind,
    owns: [Pod],
    watches: [{ kind: Pod, map: possibleOwners(kind, selectorOf) }],

    async reconcile(key, ctx) {
      const owner = await ctx.cache.get(kind, key);
      if (!owner) return;
      const { spec, metadata } = owner;
      const selector = selectorOf(owner);
      const matches = ({ metadata: { labels } }: Pod): boolean => selector.matches(labels);
      const controlled = await ctx.cache.controlledBy(Pod, owner);
      const orphans = await ctx.cache.orphans(Pod, metadata.namespace);
      const claims = { owner, ownerKind: kind, kind: Pod, matches };
      const active = await claimObjects(
        ctx,
        claims,
        [...controlled, ...orphans].filter(isPodActive),
      );
      const terminating = controlled.filter((pod) => isPodTerminating(pod) && matches(pod));
      const fault = metadata.deletionTimestamp
        ? undefined
        : await manage(ctx, { replicated, owner }, active);
      const now = ctx.clock.now();
      const status = statusOf(owner, {
        active,
        terminating: terminating.length,
        failure: fault && errorMessage(fault.error),
        now,
      });
      await writeStatus(ctx, { replicated, owner }, status);
      if (fault) throw fault.error;
      const { minReadySeconds = 0 } = spec;
      if (minReadySeconds === 0 || (status.readyReplicas ?? 0) === (status.availableReplicas ?? 0))
        return;
      const next = nextAvailableMs(active, minReadySeconds, now) ?? minReadySeconds * 1000;
      return { requeueAfterMs: next };
    },
  });
}

/** An object, and what its kind is. */
interface Subject<O extends Replicated> {
  readonly replicated: ReplicatedKind<O>;
  readonly owner: O;
}

interface Fault {
  readonly error: unknown;
}

/** Creates missing pods or deletes excess ones; resolves with the error if that failed. */
async function manage<O extends Replicated>(
  ctx: ReconcileContext,
  subject: Subject<O>,
  active: readonly Pod[],
): Promise<Fault | undefined> {
  const { owner } = subject;
  const excess = active.length - (owner.spec.replicas ?? 0);
  if (excess < 0) return createPods(ctx, owner, Math.min(-excess, burst));
  if (excess === 0) return undefined;
  const order =
    excess < active.length
      ? deletionOrder(active, await relatedPods(ctx, subject), ctx.clock.now())
      : active;
  return deletePods(ctx, owner, order.slice(0, Math.min(excess, burst)));
}

async function createPods(
  ctx: ReconcileContext,
  owner: Replicated,
  count: number,
): Promise<Fault | undefined> {
  const { template } = owner.spec;
  if (!template) return undefined;
  const pod = podFromTemplate(template, owner);
  const result = await slowStart(count, () => createPod(ctx, owner, pod));
  return "error" in result ? { error: result.error } : undefined;
}

async function deletePods(
  ctx: ReconcileContext,
  owner: Replicated,
  pods: readonly Pod[],
): Promise<Fault | undefined> {
  const results = await Promise.allSettled(pods.map((pod) => deletePod(ctx, owner, pod)));
  const failed = results.find((result) => result.status === "rejected");
  return failed && { error: failed.reason };
}

/**
 * The pods that the siblings of an object select, which have the same controller, such as those of one
 * deployment; none if the object has no controller, as upstream.
 */
async function relatedPods<O extends Replicated>(
  { cache }: ReconcileContext,
  { replicated, owner }: Subject<O>,
): Promise<readonly Pod[]> {
  const { namespace } = owner.metadata;
  const uid = controllerOf(owner)?.uid;
  if (uid === undefined) return [];
  const all = await cache.list(replicated.for, { namespace });
  const siblings = all.filter((one) => controllerOf(one)?.uid === uid);
  const selectors = siblings.map(replicated.selectorOf);
  const pods = await cache.list(Pod, { namespace });
  return pods.filter((pod) => selectors.some(({ matches }) => matches(pod.metadata.labels)));
}

/** Writes a status that differs; after a conflict, once more on the latest version. */
async function writeStatus<O extends Replicated>(
  { client, signal }: ReconcileContext,
  { replicated, owner }: Subject<O>,
  status: O["status"],
): Promise<void> {
  if (sameJson(status, owner.status)) return;
  const how = { subresource: "status", signal };
  try {
    await client.update(replicated.for, { ...owner, status }, how);
  } catch (error) {
    if (!StatusError.is(error, "Conflict")) throw error;
    const fresh = await client.get(replicated.for, keyOf(owner), { signal });
    if (fresh.metadata.uid !== owner.metadata.uid) return;
    await client.update(replicated.for, { ...fresh, status }, how);
  }
}
