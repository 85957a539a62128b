import { pods, type Session, send } from "../apiserver/apiserver-client.ts";
import { allGone, smallTemplate, until, type WatchedObject } from "../cluster/cluster-client.ts";
import { smallPods } from "../cluster/raw-creates.ts";
import { measureWorkload } from "./measured-workload.ts";

const completions = 1000;

/** A job whose pods succeed at once, a hundred at a time. */
export const benchJob = (work: string): Promise<void> =>
  measureWorkload(work, {
    name: `a job of ${completions} completions`,
    count: completions,
    nodes: 10,
    raw: smallPods,
    bound: 0.1,
    ...podsOf("/apis/batch/v1/namespaces/default/jobs", {
      body: (name) => ({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name },
        spec: { completions, parallelism: 100, template: endingTemplate(name) },
      }),
      isDone: (status) => status?.succeeded === completions,
    }),
  });

function endingTemplate(name: string): object {
  const { metadata, spec } = smallTemplate(name);
  return {
    metadata: { ...metadata, annotations: { "wherry.dev/exit-code": "0" } },
    spec: { ...spec, restartPolicy: "Never" },
  };
}

const replicas = 200;

/** Pods of a stateful set, each after the one before is ready, or all at once. */
export const benchStatefulSet =
  (podManagementPolicy: "OrderedReady" | "Parallel", bound: number) =>
  (work: string): Promise<void> =>
    measureWorkload(work, {
      name: `a stateful set of ${replicas}, ${podManagementPolicy}`,
      count: replicas,
      nodes: 10,
      raw: smallPods,
      bound,
      ...podsOf("/apis/apps/v1/namespaces/default/statefulsets", {
        body: (name) => ({
          apiVersion: "apps/v1",
          kind: "StatefulSet",
          metadata: { name },
          spec: { replicas, podManagementPolicy, serviceName: name, ...selected(name) },
        }),
        isDone: (status) => status?.readyReplicas === replicas,
      }),
    });

const daemons = 1000;

/** A pod on each of many nodes. */
export const benchDaemonSet = (work: string): Promise<void> =>
  measureWorkload(work, {
    name: `a daemon set on ${daemons} nodes`,
    count: daemons,
    nodes: daemons,
    raw: smallPods,
    bound: 0.1,
    ...podsOf("/apis/apps/v1/namespaces/default/daemonsets", {
      body: (name) => ({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name },
        spec: selected(name),
      }),
      isDone: (status) => status?.numberReady === daemons,
    }),
  });

const selected = (app: string) => ({
  selector: { matchLabels: { app } },
  template: smallTemplate(app),
});

interface PodOwner {
  readonly body: (name: string) => object;
  readonly isDone: (status: WatchedObject["status"]) => boolean;
}

/** Creates an owner of pods in each round, and deletes it with its pods. */
function podsOf(path: string, { body, isDone }: PodOwner) {
  const nameOf = (round: number): string => `web-${round}`;
  return {
    async run(session: Session, round: number) {
      const name = nameOf(round);
      await send(session, { method: "POST", path, body: body(name) }, 201);
      await until(
        session,
        path,
        ({ metadata, status }) => metadata.name === name && isDone(status),
      );
    },
    async clear(session: Session, round: number) {
      const named = `${path}/${nameOf(round)}?propagationPolicy=Background`;
      await send(session, { method: "DELETE", path: named }, 200);
      await allGone(session, pods("default"));
    },
  };
}
