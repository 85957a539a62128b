import { expect, test } from "vitest";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { Event } from "../api/core/v1/event/event.ts";
import { startCluster } from "./start-cluster.ts";

test("each component writes events to the same API group as upstream's", async () => {
  await using cluster = await startCluster({ nodes: 1, clock: "virtual", seed: 7 });
  const labels = { app: "web" };
  await cluster.client.create(ReplicaSet, {
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
  });
  await cluster.advance("30s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  const forms = ["SuccessfulCreate", "Scheduled", "Started"].map((wanted) => {
    const event = items.find(({ reason }) => reason === wanted);
    const { count, source, eventTime, reportingComponent } = event ?? {};
    return [count ?? 0, source?.component ?? "", eventTime !== null, reportingComponent];
  });
  expect(forms).toEqual([
    [1, "replicaset-controller", false, "replicaset-controller"],
    [0, "", true, "default-scheduler"],
    [1, "kubelet", false, "kubelet"],
  ]);
});
