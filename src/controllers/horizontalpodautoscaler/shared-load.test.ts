import { expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { startCluster } from "../../testing/start-cluster.ts";

/** A day that is twelve times as short, so that the test is, too. */
const cpu = "0m=200m 40m=400m 60m=3 100m=1 120m=200m repeat shared";

test("horizontal-pod-autoscaler-controller: follows the load that its pods share", async () => {
  await using cluster = await startCluster({ clock: "virtual", nodes: 1, namespace: "default" });
  const { client } = cluster;
  await client.create(Deployment, {
    metadata: { name: "web" },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" }, annotations: { "wherry.dev/cpu": cpu } },
        spec: {
          containers: [{ name: "app", image: "app:1", resources: { requests: { cpu: "300m" } } }],
        },
      },
    },
  });
  await client.create(HorizontalPodAutoscaler, {
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 12,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
        },
      ],
    },
  });
  const replicas: (number | undefined)[] = [];
  for (let minutes = 20; minutes <= 120; minutes += 20) {
    await cluster.advance("20m");
    replicas.push((await client.get(Deployment, { name: "web" })).spec.replicas);
  }
  // A pod serves 240m, a tenth more or less is tolerated, and pods are removed five minutes later.
  expect(replicas).toEqual([2, 2, 12, 10, 6, 2]);
}, 60_000);
