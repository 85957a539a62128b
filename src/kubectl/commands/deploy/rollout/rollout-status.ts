import { quote } from "../../../../schema/values/quote.ts";
import type { WorkloadKind } from "./workload.ts";

/** What is known of a rollout from the object. */
export interface RolloutStatus {
  readonly text: string;
  readonly isDone: boolean;
}

/** The fields of workloads that tell how far a rollout is. */
export interface RolloutObject {
  readonly metadata: {
    readonly name?: string | undefined;
    readonly generation?: number | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly readyReplicas?: number;
    readonly currentReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly updatedNumberScheduled?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly conditions?: readonly { readonly type: string; readonly reason?: string }[];
  };
}

/** How far the rollout of a workload is; throws if it failed, or is not that of the wanted revision. */
export function rolloutStatus(
  kind: WorkloadKind,
  object: RolloutObject,
  revision: number,
): RolloutStatus {
  if (kind === "Deployment") return deploymentStatus(object, revision);
  if (object.spec?.updateStrategy?.type !== "RollingUpdate")
    throw new Error("rollout status is only available for RollingUpdate strategy type");
  return kind === "DaemonSet" ? daemonSetStatus(object) : statefulSetStatus(object);
}

const pending = (text: string): RolloutStatus => ({ text, isDone: false });
const done = (text: string): RolloutStatus => ({ text, isDone: true });

const isObserved = ({ metadata, status }: RolloutObject): boolean =>
  (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);

function deploymentStatus(object: RolloutObject, revision: number): RolloutStatus {
  const { metadata, spec, status = {} } = object;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status;
  const name = quote(metadata.name ?? "");
  if (revision > 0) checkRevision(object, revision);
  if (!isObserved(object)) return pending("Waiting for deployment spec update to be observed...\n");
  const progressing = conditions.find(({ type }) => type === "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded")
    throw new Error(`deployment ${name} exceeded its progress deadline`);
  const waiting = (what: string): RolloutStatus =>
    pending(`Waiting for deployment ${name} rollout to finish: ${what}...\n`);
  if (spec?.replicas !== undefined && updatedReplicas < spec.replicas)
    return waiting(`${updatedReplicas} out of ${spec.replicas} new replicas have been updated`);
  if (replicas > updatedReplicas)
    return waiting(`${replicas - updatedReplicas} old replicas are pending termination`);
  if (availableReplicas < updatedReplicas)
    return waiting(`${availableReplicas} of ${updatedReplicas} updated replicas are available`);
  return done(`deployment ${name} successfully rolled out\n`);
}

function checkRevision({ metadata }: RolloutObject, revision: number): void {
  const text = metadata.annotations?.["deployment.kubernetes.io/revision"];
  const running = text === undefined ? 0 : Number(text);
  if (!Number.isInteger(running))
    throw new Error(
      `cannot get the revision of deployment ${quote(metadata.name ?? "")}: strconv.ParseInt: parsing ${quote(text ?? "")}: invalid syntax`,
    );
  if (revision !== running)
    throw new Error(
      `desired revision (${revision}) is different from the running revision (${running})`,
    );
}

function daemonSetStatus(object: RolloutObject): RolloutStatus {
  const { metadata, status = {} } = object;
  const { updatedNumberScheduled = 0, desiredNumberScheduled = 0, numberAvailable = 0 } = status;
  const name = quote(metadata.name ?? "");
  if (!isObserved(object)) return pending("Waiting for daemon set spec update to be observed...\n");
  const waiting = (what: string): RolloutStatus =>
    pending(`Waiting for daemon set ${name} rollout to finish: ${what}...\n`);
  if (updatedNumberScheduled < desiredNumberScheduled)
    return waiting(
      `${updatedNumberScheduled} out of ${desiredNumberScheduled} new pods have been updated`,
    );
  if (numberAvailable < desiredNumberScheduled)
    return waiting(`${numberAvailable} of ${desiredNumberScheduled} updated pods are available`);
  return done(`daemon set ${name} successfully rolled out\n`);
}

function statefulSetStatus(object: RolloutObject): RolloutStatus {
  const { spec = {}, status = {} } = object;
  const { updatedReplicas = 0, readyReplicas = 0, currentReplicas = 0 } = status;
  const { updateRevision = "", currentRevision = "" } = status;
  const { replicas } = spec;
  if (!status.observedGeneration || !isObserved(object))
    return pending("Waiting for statefulset spec update to be observed...\n");
  if (replicas !== undefined && readyReplicas < replicas)
    return pending(`Waiting for ${replicas - readyReplicas} pods to be ready...\n`);
  const rolling = spec.updateStrategy?.rollingUpdate;
  if (rolling) {
    const wanted = (replicas ?? 0) - (rolling.partition ?? 0);
    const isPartitioned = replicas !== undefined && rolling.partition !== undefined;
    if (isPartitioned && updatedReplicas < wanted)
      return pending(
        `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${wanted} new pods have been updated...\n`,
      );
    return done(
      `partitioned roll out complete: ${updatedReplicas} new pods have been updated...\n`,
    );
  }
  if (updateRevision !== currentRevision)
    return pending(
      `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}...\n`,
    );
  return done(
    `statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...\n`,
  );
}
