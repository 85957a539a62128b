import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import {
  type Annotations,
  revisionAnnotation,
  revisionHistoryAnnotation,
  sharedAnnotations,
} from "./deployment-annotations.ts";
import { parseInt64 } from "./parse-integer.ts";

/** The revision of a replica set: 0 if it has none, undefined if it is not a number. */
export function revisionOf({ metadata }: ReplicaSet): bigint | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  return text === undefined ? 0n : parseInt64(text);
}

/** The highest revision of replica sets. */
export const maxRevision = (replicaSets: readonly ReplicaSet[]): bigint =>
  revisionsOf(replicaSets)[0] ?? 0n;

/** The second highest revision; 0 if there is none. */
export function lastRevision(replicaSets: readonly ReplicaSet[]): bigint {
  const [, second = 0n] = revisionsOf(replicaSets);
  return second;
}

/**
 * The annotations of the current replica set: those shared with the deployment, its revision, which only
 * grows, and its former revisions. The same object if nothing changes.
 */
export function annotationsAtRevision(
  deployment: Deployment,
  annotations: Annotations,
  revision: bigint,
): Annotations {
  const text = annotations[revisionAnnotation];
  const before = text ? parseInt64(text) : 0n;
  // A revision that is not a number was written by a user: it is kept.
  if (before === undefined) return annotations;
  const shared = Object.entries(sharedAnnotations(deployment.metadata.annotations));
  const isShared = shared.every(([name, value]) => annotations[name] === value);
  if (isShared && before >= revision) return annotations;
  const history =
    before < revision && text !== undefined
      ? longerHistory(annotations[revisionHistoryAnnotation] ?? "", text)
      : undefined;
  return {
    ...annotations,
    ...Object.fromEntries(shared),
    ...(before < revision && { [revisionAnnotation]: String(revision) }),
    ...(history !== undefined && { [revisionHistoryAnnotation]: history }),
  };
}

/** The maximum length of the history annotation. */
const longestHistory = 2000;

/** A history with one more revision; the oldest are dropped if it is too long. */
export function longerHistory(
  history: string,
  revision: string,
  longest = longestHistory,
): string | undefined {
  const revisions = history.split(",");
  if (revisions[0] === "") return revision;
  let length = history.length + revision.length + 1;
  let start = 0;
  for (; length > longest && start < revisions.length; start++)
    length -= (revisions[start] ?? "").length + 1;
  return length <= longest ? [...revisions.slice(start), revision].join(",") : undefined;
}

/** Revisions in descending order; none is negative. */
const revisionsOf = (replicaSets: readonly ReplicaSet[]): readonly bigint[] =>
  replicaSets
    .map(revisionOf)
    .filter((revision) => revision !== undefined)
    .filter((revision) => revision > 0n)
    .sort(descending);

const descending = (a: bigint, b: bigint): number => (a < b ? 1 : a > b ? -1 : 0);
