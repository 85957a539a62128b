import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { sizeAnnotations } from "./deployment-annotations.ts";

export const now = Date.UTC(2026, 0, 1, 12);
/** A time of the API so many seconds before `now`. */
export const ago = (seconds: number): string => formatTime(timeFromMillis(now - seconds * 1000));

export interface ReplicaSetTraits {
  readonly size?: number;
  /** As many as its size if not given. */
  readonly available?: number;
  /** Seconds ago; the later in the alphabet its name is, the younger it is if not given. */
  readonly age?: number;
  readonly image?: string;
  /** `DESIRED/MAX`, as it annotated them. */
  readonly annotated?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: Partial<ReplicaSet["status"]>;
  readonly metadata?: ReplicaSet["metadata"];
}

export function replicaSet(name: string, traits: ReplicaSetTraits = {}): ReplicaSet {
  const { size = 0, available = size, image = name, annotated, annotations } = traits;
  const { age = 1000 - name.charCodeAt(0) } = traits;
  const [desired = 0, max = 0] = annotated?.split("/").map(Number) ?? [];
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name,
      uid: name,
      creationTimestamp: ago(age),
      generation: 1,
      annotations: { ...annotations, ...(annotated && sizeAnnotations({ desired, max })) },
      ...traits.metadata,
    },
    spec: { replicas: size, template: template(image, { "pod-template-hash": name }) },
    status: {
      replicas: size,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
      ...traits.status,
    },
  } as unknown as ReplicaSet;
}

export interface DeploymentTraits {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly spec?: Partial<Deployment["spec"]>;
  readonly status?: Deployment["status"];
  readonly annotations?: Readonly<Record<string, string>>;
}

export function deployment(replicas: number, traits: DeploymentTraits = {}): Deployment {
  const { maxSurge = "25%", maxUnavailable = "25%", annotations, spec, status = {} } = traits;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      namespace: "default",
      uid: "web",
      generation: 1,
      ...(annotations && { annotations }),
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: template("new"),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      ...spec,
    },
    status,
  } as unknown as Deployment;
}

export const template = (image: string, labels: Readonly<Record<string, string>> = {}) =>
  ({
    metadata: { labels: { app: "web", ...labels } },
    spec: { containers: [{ name: "web", image }] },
  }) as unknown as Deployment["spec"]["template"];
