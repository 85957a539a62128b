import { objectCount } from "./counts.ts";
import { type ClaimSurroundings, deviceClaimQuota } from "./device-claims.ts";
import type { AnyEvaluator } from "./evaluator.ts";
import { podQuota } from "./pods.ts";
import { serviceQuota } from "./services.ts";
import { volumeClaimQuota } from "./volume-claims.ts";

/** The name of a resource, in any version. */
export interface Resource {
  readonly group: string;
  readonly plural: string;
}

/** Finds the evaluator of a resource; undefined for what no quota is about. */
export type EvaluatorOf = (resource: Resource) => AnyEvaluator | undefined;

/** What each resource uses of quotas; most are merely counted. */
export function quotaEvaluators(around: ClaimSurroundings): EvaluatorOf {
  const special = [
    podQuota(around.now),
    serviceQuota,
    volumeClaimQuota,
    deviceClaimQuota(around),
  ] as readonly AnyEvaluator[];
  const known = new Map(special.map((evaluator) => [nameOf(evaluator), evaluator]));
  return (resource) => {
    const name = nameOf(resource);
    if (ignored.has(name)) return undefined;
    const found = known.get(name) ?? objectCount(resource);
    known.set(name, found);
    return found;
  };
}

const nameOf = ({ group, plural }: Resource): string =>
  group === "" ? plural : `${plural}.${group}`;

/** What is not stored, and events. */
const ignored: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "tokenreviews.authentication.k8s.io",
]);
