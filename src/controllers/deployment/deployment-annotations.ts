import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { rollbackToAnnotation } from "../../api/apps/v1/rollback-to.ts";
import { parseInt64 } from "./parse-integer.ts";

export type Annotations = Readonly<Record<string, string>>;

export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";

/** Annotations that are not copied between a deployment and its replica sets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackToAnnotation,
]);

/** The annotations that a deployment and its current replica set share. */
export const sharedAnnotations = (annotations: Annotations | undefined): Annotations =>
  chosen(annotations, (name) => !ownAnnotations.has(name));

/** The annotations of a deployment after a rollback: those of the replica set, and its own. */
export const annotationsAfterRollback = (
  deployment: Deployment,
  replicaSet: ReplicaSet,
): Annotations => ({
  ...chosen(
    deployment.metadata.annotations,
    (name) => ownAnnotations.has(name) && name !== rollbackToAnnotation,
  ),
  ...sharedAnnotations(replicaSet.metadata.annotations),
});

/** The size of a deployment in the annotations of its replica sets: with and without surge. */
export interface AnnotatedSize {
  readonly desired: number;
  readonly max: number;
}

/** The annotations of a replica set that hold the size of its deployment. */
export const sizeAnnotations = ({ desired, max }: AnnotatedSize): Annotations => ({
  [desiredReplicasAnnotation]: String(desired),
  [maxReplicasAnnotation]: String(max),
});

/** The size in the annotations of a replica set; undefined if it is not a number of pods. */
export const annotatedDesired = (replicaSet: ReplicaSet): number | undefined =>
  countIn(replicaSet, desiredReplicasAnnotation);

/** The same with surge. */
export const annotatedMax = (replicaSet: ReplicaSet): number | undefined =>
  countIn(replicaSet, maxReplicasAnnotation);

/** The revision to roll back to, 0 for the previous one; undefined if no rollback is requested. */
export const rollbackRevision = ({ metadata }: Deployment): bigint | undefined =>
  parseInt64(metadata.annotations?.[rollbackToAnnotation] ?? "");

function countIn({ metadata }: ReplicaSet, name: string): number | undefined {
  const text = metadata.annotations?.[name] ?? "";
  return /^\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

const chosen = (
  annotations: Annotations | undefined,
  isChosen: (name: string) => boolean,
): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => isChosen(name)));
