import type { Pod } from "../../../../api/core/v1/pod/pod.ts";

/** What a drain does with a pod, and what it says of it. */
export interface PodDecision {
  readonly pod: Pod;
  readonly deletes: boolean;
  readonly error?: string | undefined;
  readonly warning?: string | undefined;
}

export interface DrainRules {
  readonly force: boolean;
  readonly ignoresDaemonSets: boolean;
  readonly deletesLocalData: boolean;
  readonly skipsDeletedAfterSeconds: number;
  /** The time, in milliseconds. */
  readonly now: number;
}

/** Decides about a pod; `daemonSetError` is the error of requesting the daemon set that has it. */
export function decideAboutPod(
  pod: Pod,
  rules: DrainRules,
  daemonSetError: DaemonSetError | undefined,
): PodDecision {
  if (isLongDeleted(pod, rules)) return { pod, deletes: false };
  const hasEnded = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  const ofDaemonSet = keptForDaemonSet(pod, rules, daemonSetError);
  if (ofDaemonSet) return ofDaemonSet;
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return { pod, deletes: false };
  const hasLocalData = !hasEnded && pod.spec?.volumes?.some(({ emptyDir }) => emptyDir);
  // Upstream has a warning for local data that is deleted, but the check that follows replaces it.
  if (hasLocalData && !rules.deletesLocalData)
    return { pod, deletes: false, error: texts.localDataError };
  const isManaged = pod.metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
  if (hasEnded || isManaged) return { pod, deletes: true };
  if (!rules.force) return { pod, deletes: false, error: texts.unmanagedError };
  return { pod, deletes: true, warning: texts.unmanagedWarning };
}

/** The decision about a pod that stays because of its daemon set; none if other rules decide. */
function keptForDaemonSet(
  pod: Pod,
  { force, ignoresDaemonSets }: DrainRules,
  error: DaemonSetError | undefined,
): PodDecision | undefined {
  if (daemonSetOf(pod) === undefined) return undefined;
  if (error) {
    const isOrphan = error.isNotFound && force;
    return isOrphan ? undefined : { pod, deletes: false, error: error.message };
  }
  return ignoresDaemonSets
    ? { pod, deletes: false, warning: texts.daemonSetWarning }
    : { pod, deletes: false, error: texts.daemonSetError };
}

export interface DaemonSetError {
  readonly message: string;
  readonly isNotFound: boolean;
}

const mirrorAnnotation = "kubernetes.io/config.mirror";

const texts = {
  daemonSetError: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
  daemonSetWarning: "ignoring DaemonSet-managed Pods",
  localDataError: "Pods with local storage (use --delete-emptydir-data to override)",
  unmanagedError: "Pods that declare no controller (use --force to override)",
  unmanagedWarning: "deleting Pods that declare no controller",
} as const;

/** The name of the daemon set that a running pod belongs to. */
export function daemonSetOf({ metadata, status }: Pod): string | undefined {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return undefined;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === "DaemonSet" && owner.apiVersion === "apps/v1" ? owner.name : undefined;
}

/** Whether a pod was deleted so long ago that nobody waits for it. */
export function isLongDeleted(
  { metadata }: Pod,
  { skipsDeletedAfterSeconds: most, now }: Pick<DrainRules, "skipsDeletedAfterSeconds" | "now">,
): boolean {
  const { deletionTimestamp } = metadata;
  if (most <= 0 || !deletionTimestamp) return false;
  return Math.trunc((now - Date.parse(String(deletionTimestamp))) / 1000) > most;
}

const podName = ({ pod }: PodDecision): string => `${pod.metadata.namespace}/${pod.metadata.name}`;

function byText(
  decisions: readonly PodDecision[],
  textOf: (decision: PodDecision) => string | undefined,
): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const decision of decisions) {
    const text = textOf(decision);
    if (text === undefined) continue;
    groups.set(text, [...(groups.get(text) ?? []), podName(decision)]);
  }
  return [...groups].map(([text, pods]) => `${text}: ${pods.join(", ")}`);
}

/** The warnings about all pods, as one text; empty if there are none. */
export const drainWarnings = (decisions: readonly PodDecision[]): string =>
  byText(decisions, ({ warning }) => warning).join("; ");

/** Why the pods cannot be deleted. */
export const drainErrors = (decisions: readonly PodDecision[]): readonly Error[] =>
  byText(decisions, ({ error }) => error).map((text) => new Error(`cannot delete ${text}`));
