import type { DynamicObject } from "../../../../client/resource-kind.ts";

/** The kinds that have rollouts. */
export type WorkloadKind = "Deployment" | "DaemonSet" | "StatefulSet";

/** Which of them an object is; undefined for all others. */
export function workloadKind(
  object: Pick<DynamicObject, "apiVersion" | "kind">,
): WorkloadKind | undefined {
  const { apiVersion, kind } = object;
  if (!apiVersion.startsWith("apps/")) return undefined;
  return kind === "Deployment" || kind === "DaemonSet" || kind === "StatefulSet" ? kind : undefined;
}

/** The kinds of workloads that the original knows; for others it has another message. */
const knownKinds = new Map([
  ["apps", ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]],
  ["extensions", ["DaemonSet", "Deployment", "ReplicaSet"]],
  ["batch", ["Job", "CronJob"]],
  ["", ["Pod", "ReplicationController"]],
]);

/** The error about an object that has no rollout; `subject` is what the command needs: a history viewer, a rollbacker. */
export function noRolloutError(
  { group, kind }: { readonly group: string; readonly kind: string },
  subject: { readonly retrieving: string; readonly implemented: string },
): Error {
  const name = JSON.stringify(group === "" ? kind : `${kind}.${group}`);
  if (!knownKinds.get(group)?.includes(kind))
    return new Error(
      `error retrieving ${subject.retrieving} ${name}, no visitor method exists for {${group} ${kind}}`,
    );
  return new Error(`no ${subject.implemented} has been implemented for ${name}`);
}
