import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** The time of the tests: milliseconds since the epoch. */
export const now = Date.parse("2026-01-01T00:01:00Z");

/** A daemon set with parts of its specification and of its template's. */
export const daemonSetWith = (parts: object = {}, podSpec: object = {}): DaemonSet =>
  ({
    metadata: {
      name: "d",
      namespace: "default",
      uid: "d",
      generation: 2,
      annotations: { "deprecated.daemonset.template.generation": "2" },
    },
    spec: {
      selector: { matchLabels: { app: "d" } },
      template: { metadata: { labels: { app: "d" } }, spec: { containers: [], ...podSpec } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      minReadySeconds: 10,
      ...parts,
    },
    status: {},
  }) as never;

export const rolling = (rollingUpdate: object): object => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate },
});

export const nodeWith = (labels: object = {}, taints: readonly object[] = []): Node =>
  ({ metadata: { name: "n1", labels }, spec: { taints } }) as never;

export interface PodTraits {
  readonly hash?: "new" | "old";
  /** For how many seconds it has been ready. */
  readonly ready?: number;
  readonly phase?: string;
  readonly going?: boolean;
  readonly node?: string;
  /** How many seconds ago it was created. */
  readonly age?: number;
}

/** A pod by its name. */
export function podWith(name: string, traits: PodTraits = {}): Pod {
  const { hash = "new", ready, phase = "Running", going = false, node = "n1", age = 50 } = traits;
  const ago = (seconds: number): string =>
    new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");
  return {
    metadata: {
      name,
      creationTimestamp: ago(age),
      labels: { app: "d", "controller-revision-hash": hash },
      ...(going && { deletionTimestamp: ago(0) }),
    },
    spec: { nodeName: node },
    status: {
      phase,
      conditions:
        ready === undefined
          ? []
          : [{ type: "Ready", status: "True", lastTransitionTime: ago(ready) }],
    },
  } as never;
}

export const namesOf = (pods: readonly Pod[]): (string | undefined)[] =>
  pods.map(({ metadata }) => metadata.name);
