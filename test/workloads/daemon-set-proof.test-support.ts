import { expect } from "vitest";
import { DaemonSet } from "../../src/api/apps/v1/daemon-set.ts";
import { eventually } from "../eventually.ts";
import { container, ready, type WorkloadsRoom } from "./workloads-cluster.test-support.ts";

const labels = { app: "each" };
const spec = (version: string) => ({
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        container("echo $NODE $VERSION > /said; exec sleep 1000", {
          env: [
            { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            { name: "VERSION", value: version },
          ],
        }),
      ],
    },
  },
});

/** A daemon set runs on each node, and an update reaches each. */
export async function daemonSetProof(room: WorkloadsRoom): Promise<void> {
  const { client } = room;
  const said = async (): Promise<readonly string[]> => {
    const pods = await ready(room, 3);
    const names = pods.map(({ metadata }) => metadata.name ?? "");
    return (await Promise.all(names.map((name) => room.exec(name, "cat /said")))).sort();
  };
  await client.create(DaemonSet, { metadata: { name: "each" }, spec: spec("1") } as never);
  await eventually(async () =>
    expect(await said()).toEqual(["node-1 1\n", "node-2 1\n", "node-3 1\n"]),
  );
  await client.patch(DaemonSet, { name: "each" }, { merge: { spec: spec("2") } as never });
  await eventually(async () => {
    const { status } = await client.get(DaemonSet, { name: "each" });
    expect(status.updatedNumberScheduled).toBe(3);
    expect(await said()).toEqual(["node-1 2\n", "node-2 2\n", "node-3 2\n"]);
  });
}
