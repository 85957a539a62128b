import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { formatLabelSelector, labelSelector } from "../../../../schema/selectors/label-selector.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import type { ObjectPlace } from "../../../resource/helper.ts";
import { helper } from "../../../resource/helper.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import type { WorkloadKind } from "./workload.ts";

/** A workload and its revisions, as they are on the server. */
export interface History {
  readonly object: DynamicObject;
  /** The oldest first. */
  readonly revisions: readonly Revision[];
}

export interface Revision {
  readonly number: number;
  /** The replica set of a deployment, or the workload as it was. */
  readonly object: DynamicObject;
  /** The ControllerRevision of other workloads. */
  readonly record?: DynamicObject;
  readonly template: DynamicObject;
  readonly changeCause: string;
}

export const changeCauseAnnotation = "kubernetes.io/change-cause";
export const revisionAnnotation = "deployment.kubernetes.io/revision";

type HistoryContext = Pick<CommandContext, "factory" | "signal">;

const kinds = {
  Deployment: { kind: knownKinds.deployment, text: "deployment" },
  DaemonSet: { kind: knownKinds.daemonSet, text: "DaemonSet" },
  StatefulSet: { kind: knownKinds.statefulSet, text: "Statefulset" },
} as const;

/** Requests a workload, and what is kept of its revisions. */
export async function historyOf(
  context: HistoryContext,
  workload: WorkloadKind,
  place: ObjectPlace,
): Promise<History> {
  const { factory, signal } = context;
  const { kind, text } = kinds[workload];
  const client = await factory.client();
  const object = await helper(client, kind, { signal })
    .get(place)
    .catch((error: Error) => {
      throw new Error(`failed to retrieve ${text} ${place.name}: ${error.message}`, {
        cause: error,
      });
    });
  const isDeployment = workload === "Deployment";
  const recordKind = isDeployment ? knownKinds.replicaSet : knownKinds.controllerRevision;
  const { selector } = object.spec as { readonly selector?: Parameters<typeof labelSelector>[0] };
  const list = await helper(client, recordKind, { signal })
    .list(place.namespace, {
      labelSelector: formatLabelSelector(labelSelector(selector)) || undefined,
    })
    .catch((error: Error) => {
      throw new Error(
        isDeployment
          ? `failed to retrieve replica sets from deployment ${place.name}: ${error.message}`
          : `unable to find history controlled by ${kind.kind} ${place.name}: ${error.message}`,
        { cause: error },
      );
    });
  const { uid } = object.metadata;
  const owned = ((list.items ?? []) as readonly DynamicObject[])
    .filter(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid),
    )
    .map((one) => ({ ...one, kind: recordKind.kind, apiVersion: "apps/v1" }));
  const revisions = owned.flatMap((one) =>
    isDeployment ? replicaSetRevision(one) : [recordedRevision(object, one)],
  );
  // A later replica set of the same revision takes its place.
  const byNumber = new Map(revisions.map((revision) => [revision.number, revision]));
  return { object, revisions: [...byNumber.values()].sort((a, b) => a.number - b.number) };
}

function replicaSetRevision(object: DynamicObject): Revision[] {
  const text = object.metadata.annotations?.[revisionAnnotation];
  const number = text === undefined ? 0 : Number(text);
  if (!Number.isInteger(number)) return [];
  const { template } = object.spec as { readonly template: DynamicObject };
  return [{ number, object, template, changeCause: causeOf(object) }];
}

function recordedRevision(workload: DynamicObject, record: DynamicObject): Revision {
  const object = withPatch(workload, record.data) as DynamicObject;
  const { template } = object.spec as { readonly template: DynamicObject };
  const number = Number(record.revision ?? 0);
  return { number, object, record, template, changeCause: causeOf(record) };
}

const causeOf = ({ metadata }: DynamicObject): string =>
  metadata.annotations?.[changeCauseAnnotation] ?? "";

/** The object with a patch of maps, which are replaced where the patch says so. */
function withPatch(object: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const { $patch, ...members } = patch;
  if ($patch === "replace" || !isMap(object)) return members;
  const result: Record<string, unknown> = { ...object };
  for (const [name, value] of Object.entries(members))
    result[name] = withPatch(object[name], value);
  return result;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The revisions as a table, with what has caused them. */
export function historyTable(revisions: readonly Revision[]): string {
  if (revisions.length === 0) return "No rollout history found.";
  const rows = [
    ["REVISION", "CHANGE-CAUSE"],
    ...revisions.map(({ number, changeCause }) => [String(number), changeCause || "<none>"]),
  ];
  const width = Math.max(...rows.map(([first = ""]) => first.length)) + 2;
  return rows.map(([first = "", second]) => `${first.padEnd(width)}${second}\n`).join("");
}
