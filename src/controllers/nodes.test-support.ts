import { Lease } from "../api/coordination/v1/lease.ts";
import { Event } from "../api/core/v1/event/event.ts";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import type { Toleration } from "../api/core/v1/scheduling/toleration.ts";
import { sleep } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import type { Cluster } from "../testing/cluster.ts";

/** The kubelets of a test: every node that was added is heard again and again until it falls silent. */
export interface Kubelets extends Runnable {
  /** Adds nodes that are ready, or that never said anything. */
  add(client: Client, names: readonly string[], options?: NodeOptions): Promise<void>;
  /** Says that a node is ready, or not. */
  post(client: Client, name: string, status: "True" | "False"): Promise<void>;
  fallSilent(...names: readonly string[]): void;
  speakAgain(...names: readonly string[]): void;
}

export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly isNew?: boolean;
  readonly ready?: "True" | "False";
}

export function kubelets(periodMs = 10_000): Kubelets {
  const heard = new Set<string>();
  let now = () => 0;
  const time = (): string => new Date(now()).toISOString().replace(/\.\d+Z/, "Z");
  const microTime = (): string => new Date(now()).toISOString().replace("Z", "000Z");
  const conditions = (ready: string) =>
    [
      ["MemoryPressure", "False", "KubeletHasSufficientMemory"],
      ["DiskPressure", "False", "KubeletHasNoDiskPressure"],
      ["PIDPressure", "False", "KubeletHasSufficientPID"],
      ["Ready", ready, ready === "True" ? "KubeletReady" : "KubeletNotReady"],
    ].map(([type = "", status, reason]) => ({
      type,
      status: status as "True",
      reason,
      lastHeartbeatTime: time(),
      lastTransitionTime: time(),
    }));
  return {
    name: "kubelets",
    async run(signal, { client, clock }) {
      now = () => clock.now();
      while (!signal.aborted) {
        for (const name of heard) {
          const key = { namespace: "kube-node-lease", name };
          const spec = { renewTime: microTime() };
          await client
            .patch(Lease, key, { merge: { spec } })
            .catch(() => client.create(Lease, { metadata: key, spec }));
        }
        await sleep(clock, periodMs, signal).catch(() => undefined);
      }
    },
    async add(client, names, { labels, isNew = false, ready = "True" } = {}) {
      for (const name of names) {
        const status = isNew ? {} : { conditions: conditions(ready) };
        await client.create(Node, { metadata: { name, ...(labels && { labels }) }, status });
        // Kubelets make no lease for a node of which they have posted nothing.
        if (!isNew) heard.add(name);
      }
    },
    async post(client, name, status) {
      const patch = { strategic: { status: { conditions: conditions(status) } } };
      await client.patch(Node, { name }, patch, { subresource: "status" });
    },
    fallSilent: (...names) => names.forEach((name) => void heard.delete(name)),
    speakAgain: (...names) => names.forEach((name) => void heard.add(name)),
  };
}

/** Adds a pod that runs on a node, and is ready. */
export async function addPod(
  client: Client,
  name: string,
  { node, tolerations }: { readonly node: string; readonly tolerations?: readonly Toleration[] },
): Promise<Pod> {
  const spec = {
    nodeName: node,
    containers: [{ name: "c", image: "app:1" }],
    ...(tolerations && { tolerations }),
  };
  await client.create(Pod, { metadata: { name }, spec });
  const conditions = [{ type: "Ready", status: "True" }] as const;
  const patch = { strategic: { status: { phase: "Running" as const, conditions } } };
  return client.patch(Pod, { name }, patch, { subresource: "status" });
}

/** The taints of a node as texts: `KEY:EFFECT`. */
export async function taintsOf(client: Client, name: string): Promise<string[]> {
  const { spec } = await client.get(Node, { name });
  return (spec.taints ?? []).map(({ key, effect }) => `${key.split("/").pop()}:${effect}`).sort();
}

/** What happened, as texts, by who told it. */
export async function eventsOf(cluster: Cluster, source: string): Promise<string[]> {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, {});
  return items
    .filter(({ reportingComponent }) => reportingComponent === source)
    .map(
      ({ type, reason, message, involvedObject }) =>
        `${type} ${reason} ${involvedObject.kind}/${involvedObject.name}: ${message}`,
    )
    .sort();
}
