import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { PodTemplateSpec } from "../../api/core/v1/pod/pod-template.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { goJson } from "../../schema/json/go-json.ts";
import { copyJson, sameJson } from "../../schema/json/json-value.ts";
import { applyDefaults } from "../../schema/language/defaults.ts";
import { shapeOf } from "../../schema/language/shape.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { applyStrategicMergePatch } from "../../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { claimObjects } from "../claim-objects.ts";
import { hashText } from "../deployment/pod-template-hash.ts";
import { byRevision, nextRevision, templatePatch } from "../revisions/controller-revisions.ts";
import { fnv32 } from "../revisions/fnv32.ts";
import { revisionNameOf } from "./stateful-pod.ts";

/** The revisions of a stateful set. */
export interface StatefulSetRevisions {
  /** The one that pods below the partition have. */
  readonly current: ControllerRevision;
  /** The one of the template. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
  /** All of them, the oldest first, as they were found. */
  readonly all: readonly ControllerRevision[];
}

/** Finds the revisions of a stateful set; creates that of its template if it is missing, and makes it the newest. */
export async function syncRevisions(
  ctx: ReconcileContext,
  set: StatefulSet,
): Promise<StatefulSetRevisions> {
  const { client, signal } = ctx;
  const all = await claimRevisions(ctx, set);
  const data = templatePatch(set.spec.template);
  const number = nextRevision(all);
  const newest = all.at(-1);
  const equal = all.filter((one) => sameJson(one.data, data)).at(-1);
  let { collisionCount = 0 } = set.status;
  let update: ControllerRevision;
  if (newest && equal && sameJson(newest.data, equal.data)) update = newest;
  else if (equal)
    update = await client.update(ControllerRevision, { ...equal, revision: number }, { signal });
  else if (newest && isSameTemplate(set, newest)) update = newest;
  else ({ update, collisionCount } = await createRevision(ctx, set, { number, collisionCount }));
  const { currentRevision } = set.status;
  const current = all.find(({ metadata }) => metadata.name === currentRevision) ?? update;
  return { current, update, collisionCount, all };
}

/** Deletes the oldest revisions beyond the limit, apart from those that are in use. */
export async function truncateRevisions(
  { client, signal }: ReconcileContext,
  { spec }: StatefulSet,
  { revisions, pods }: { readonly revisions: StatefulSetRevisions; readonly pods: readonly Pod[] },
): Promise<void> {
  const { current, update, all } = revisions;
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionNameOf)]);
  const unused = all.filter(({ metadata }) => !live.has(metadata.name));
  const { revisionHistoryLimit: limit = 10 } = spec;
  if (limit < 0) return;
  for (const one of unused.slice(0, Math.max(0, unused.length - limit))) {
    const preconditions = { uid: one.metadata.uid };
    await client.delete(ControllerRevision, keyOf(one), { preconditions, signal });
  }
}

/** A stateful set with the template of a revision. */
export function atRevision(set: StatefulSet, { data }: ControllerRevision): StatefulSet {
  const template = (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } }).spec
    ?.template;
  if (template?.$patch === "replace") {
    const { $patch: _, ...rest } = template;
    return { ...set, spec: { ...set.spec, template: rest as PodTemplateSpec } };
  }
  const shape = shapeOf(StatefulSet.struct);
  return applyStrategicMergePatch(shape, set as never, data as never) as never;
}

/** Whether the template of a revision, with the defaults of today, is the one of the stateful set. */
function isSameTemplate(set: StatefulSet, revision: ControllerRevision): boolean {
  const template = copyJson(atRevision(set, revision).spec.template);
  applyDefaults(PodTemplateSpec, template);
  return sameJson(templatePatch(template), templatePatch(set.spec.template));
}

/** The revisions of a stateful set that its selector matches, after adoption, the oldest first. */
async function claimRevisions(
  ctx: ReconcileContext,
  set: StatefulSet,
): Promise<readonly ControllerRevision[]> {
  const selector = labelSelector(set.spec.selector);
  const matches = ({ metadata }: ControllerRevision): boolean => selector.matches(metadata.labels);
  const controlled = await ctx.cache.controlledBy(ControllerRevision, set);
  const orphans = await ctx.cache.orphans(ControllerRevision, set.metadata.namespace);
  const claims = { owner: set, ownerKind: StatefulSet, kind: ControllerRevision, matches };
  const found = [...controlled, ...orphans].filter(matches);
  return (await claimObjects(ctx, claims, found)).toSorted(byRevision);
}

/** Creates the revision of the template; while its name is taken by another, with another hash. */
async function createRevision(
  { client, signal }: ReconcileContext,
  set: StatefulSet,
  given: { readonly number: number; readonly collisionCount: number },
): Promise<{ readonly update: ControllerRevision; readonly collisionCount: number }> {
  const { metadata, spec } = set;
  const data = templatePatch(spec.template);
  const hash = revisionHash(data, given.collisionCount);
  for (let { collisionCount } = given; ; collisionCount++) {
    const wanted = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: `${metadata.name?.slice(0, 223)}-${revisionHash(data, collisionCount)}`,
        namespace: metadata.namespace,
        labels: { ...spec.template.metadata.labels, "controller.kubernetes.io/hash": hash },
        ...(metadata.annotations && { annotations: metadata.annotations }),
      },
      data,
      revision: given.number,
    };
    try {
      const update = await client.create(ControllerRevision, withController(wanted, set), {
        signal,
      });
      return { update, collisionCount };
    } catch (error) {
      if (!StatusError.is(error, "AlreadyExists")) throw error;
      const found = await client.get(ControllerRevision, keyOf(wanted), { signal });
      if (sameJson(found.data, data)) return { update: found, collisionCount };
    }
  }
}

/** The hash of the data of a revision, equal to upstream's. */
const revisionHash = (data: unknown, collisionCount: number): string =>
  hashText(fnv32(new TextEncoder().encode(`${goJson(data)}${collisionCount}`)));
