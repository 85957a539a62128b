import { expect, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import { SeededRandom } from "../../base/random.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { addPod } from "../nodes.test-support.ts";
import { evictingTaints, toleratedTime } from "./tolerated-time.ts";

const keys = ["x", "y", "z"];
const nodes = ["n0", "n1", "n2"];

/** From a random history with faults, the cluster ends where its taints and tolerations say. */
test.each([0, 1, 2, 3, 4])("history %i ends as taints and tolerations say", async (seed) => {
  const options = { clock: "virtual", nodes: 0, namespace: "default", seed } as const;
  await using cluster = await startCluster(options);
  const { client, faults } = cluster;
  for (const name of nodes) await client.create(Node, { metadata: { name } });
  const user = "node-controller";
  for (const verb of ["get", "patch", "delete"])
    for (const type of ["fail", "lose-response"] as const)
      faults.add({ calls: { user, verb }, chance: 0.15, fault: { type } });
  faults.add({ calls: { verb: "watch" }, chance: 0.2, fault: { type: "break", afterMs: 3_000 } });
  const safe = await happen(cluster, new SeededRandom(seed));
  faults.clear();
  await cluster.advance("2m");
  expect(await wrongPods(cluster, safe)).toEqual([]);
  const versions = async () =>
    (await client.list(Pod)).items.map(({ metadata }) => metadata.resourceVersion);
  const before = await versions();
  await cluster.advance("2m");
  expect(await versions()).toEqual(before);
});

/** Taints and pods come and go; resolves with the pods that tolerate all there is for ever. */
async function happen(
  { client, faults, advance }: Cluster,
  random: SeededRandom,
): Promise<string[]> {
  const below = (count: number): number => Math.floor(random.next() * count);
  const some = <T>(items: readonly T[]): T[] => items.filter(() => random.next() < 0.5);
  const tolerations = (): Toleration[] =>
    some(keys).map((key) => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      ...(random.next() < 0.5 && { tolerationSeconds: below(20) }),
    }));
  const taints = (): Taint[] => some(keys).map((key) => ({ key, effect: "NoExecute" }));
  const safe: string[] = [];
  const acts = [
    (node: string) => client.patch(Node, { name: node }, { merge: { spec: { taints: taints() } } }),
    (node: string, name: string) => addPod(client, name, { node, tolerations: tolerations() }),
    (node: string, name: string) => {
      safe.push(name);
      return addPod(client, name, { node, tolerations: [{ operator: "Exists" }] });
    },
    async () => {
      if (random.next() < 0.2) faults.crash("kube-controller-manager");
    },
  ];
  for (let step = 0; step < 40; step++) {
    await acts[below(acts.length)]?.(nodes[below(nodes.length)] ?? "", `p${step}`);
    await advance(below(3_000));
  }
  return safe;
}

/** Pods that are there and should not be, or the other way round. */
async function wrongPods({ client }: Cluster, safe: readonly string[]): Promise<string[]> {
  const { items } = await client.list(Pod, { namespace: "default" });
  const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const names = new Set(staying.map(({ metadata }) => metadata.name));
  const wrong = safe.filter((name) => !names.has(name));
  for (const { metadata, spec } of staying) {
    const node = await client.get(Node, { name: spec.nodeName ?? "" });
    const time = toleratedTime(evictingTaints(node.spec.taints), spec.tolerations);
    if (time !== "forever") wrong.push(metadata.name ?? "");
  }
  return wrong;
}
