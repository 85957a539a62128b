import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { claimObjects } from "../claim-objects.ts";
import { templateHash } from "../deployment/pod-template-hash.ts";
import {
  byRevision,
  nextRevision,
  revisionLabel,
  templatePatch,
} from "../revisions/controller-revisions.ts";

/** The revisions of a daemon set. */
export interface DaemonSetHistory {
  /** The hash of the revision that holds the current template. */
  readonly hash: string;
  readonly old: readonly ControllerRevision[];
}

/** The history of a daemon set; creates the revision of the current template if it is missing, and makes it the newest. */
export async function syncHistory(
  ctx: ReconcileContext,
  daemonSet: DaemonSet,
  pods: readonly Pod[],
): Promise<DaemonSetHistory> {
  const { client, signal } = ctx;
  const patch = templatePatch(daemonSet.spec.template);
  const equal: ControllerRevision[] = [];
  const old: ControllerRevision[] = [];
  for (const revision of await claimRevisions(ctx, daemonSet)) {
    const labelled = await withHashLabel(ctx, revision);
    (sameJson(labelled.data, patch) ? equal : old).push(labelled);
  }
  const number = nextRevision(old);
  const newest = equal.toSorted(byRevision).at(-1);
  if (!newest) return { hash: hashOf(await createRevision(ctx, daemonSet, number)), old };
  await removeDuplicates(ctx, { newest, equal, pods });
  if (newest.revision < number)
    await client.update(ControllerRevision, { ...newest, revision: number }, { signal });
  return { hash: hashOf(newest), old };
}

/** Deletes the oldest revisions beyond the limit, apart from those that pods are made from. */
export async function cleanUpHistory(
  { client, signal }: ReconcileContext,
  { spec }: DaemonSet,
  { old, pods }: Pick<DaemonSetHistory, "old"> & { readonly pods: readonly Pod[] },
): Promise<void> {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const excess = Math.max(0, old.length - (spec.revisionHistoryLimit ?? 10));
  const unused = old.toSorted(byRevision).filter((one) => !live.has(hashOf(one)));
  for (const one of unused.slice(0, excess))
    await client.delete(ControllerRevision, keyOf(one), {
      preconditions: { uid: one.metadata.uid },
      signal,
    });
}

const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[revisionLabel] ?? "";

/** The revisions of a daemon set, after adoption and release. */
async function claimRevisions(
  ctx: ReconcileContext,
  daemonSet: DaemonSet,
): Promise<readonly ControllerRevision[]> {
  const selector = labelSelector(daemonSet.spec.selector);
  const controlled = await ctx.cache.controlledBy(ControllerRevision, daemonSet);
  const orphans = await ctx.cache.orphans(ControllerRevision, daemonSet.metadata.namespace);
  const matches = ({ metadata }: ControllerRevision): boolean => selector.matches(metadata.labels);
  const claims = { owner: daemonSet, ownerKind: DaemonSet, kind: ControllerRevision, matches };
  return claimObjects(ctx, claims, [...controlled, ...orphans]);
}

/** A revision from before there were hashes gets its name as the hash. */
async function withHashLabel(
  { client, signal }: ReconcileContext,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { metadata } = revision;
  if (metadata.labels && Object.hasOwn(metadata.labels, revisionLabel)) return revision;
  const labels = { ...metadata.labels, [revisionLabel]: metadata.name ?? "" };
  return client.update(
    ControllerRevision,
    { ...revision, metadata: { ...metadata, labels } },
    { signal },
  );
}

/** Deletes all but the newest of equal revisions, after their pods were labelled with its hash. */
async function removeDuplicates(
  { client, signal }: ReconcileContext,
  {
    newest,
    equal,
    pods,
  }: {
    readonly newest: ControllerRevision;
    readonly equal: readonly ControllerRevision[];
    readonly pods: readonly Pod[];
  },
): Promise<void> {
  const duplicates = equal.filter((one) => one !== newest);
  const hashes = new Set(duplicates.map(hashOf));
  for (const pod of pods) {
    if (!hashes.has(pod.metadata.labels?.[revisionLabel] ?? "")) continue;
    const labels = { [revisionLabel]: hashOf(newest) };
    const metadata = { uid: pod.metadata.uid, labels };
    await client.patch(Pod, keyOf(pod), { merge: { metadata } }, { signal });
  }
  for (const one of duplicates)
    await client.delete(ControllerRevision, keyOf(one), {
      preconditions: { uid: one.metadata.uid },
      signal,
    });
}

async function createRevision(
  ctx: ReconcileContext,
  daemonSet: DaemonSet,
  revision: number,
): Promise<ControllerRevision> {
  const { client, signal } = ctx;
  const { metadata, spec } = daemonSet;
  const hash = templateHash(daemonSet);
  const data = templatePatch(spec.template);
  const name = `${metadata.name}-${hash}`;
  const wanted = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { ...spec.template.metadata.labels, [revisionLabel]: hash },
      ...(metadata.annotations && { annotations: metadata.annotations }),
    },
    data,
    revision,
  };
  try {
    return await client.create(ControllerRevision, withController(wanted, daemonSet), { signal });
  } catch (error) {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
    const found = await client.get(ControllerRevision, keyOf(wanted), { signal });
    if (sameJson(found.data, data)) return found;
    await countCollision(ctx, daemonSet);
    throw error;
  }
}

/** Counts a collision, so that the retry uses another hash. */
async function countCollision(
  { client, signal }: ReconcileContext,
  daemonSet: DaemonSet,
): Promise<void> {
  const { name, uid } = daemonSet.metadata;
  const fresh = await client.get(DaemonSet, keyOf(daemonSet), { signal });
  const { collisionCount: known } = daemonSet.status;
  const { collisionCount } = fresh.status;
  if (fresh.metadata.uid !== uid) return;
  if (collisionCount !== known)
    throw new Error(
      `found a stale collision count (${known ?? 0}, expected ${collisionCount ?? 0}) of DaemonSet "${name}" while processing; will retry until it is updated`,
    );
  const status = { ...fresh.status, collisionCount: (collisionCount ?? 0) + 1 };
  await client.update(DaemonSet, { ...fresh, status }, { subresource: "status", signal });
}
