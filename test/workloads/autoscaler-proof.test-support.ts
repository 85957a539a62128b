import { expect, vi } from "vitest";
import { Deployment } from "../../src/api/apps/v1/deployment.ts";
import { HorizontalPodAutoscaler } from "../../src/api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { eventually } from "../eventually.ts";
import { longEnoughMs } from "../long-enough.ts";
import { container, ready, type WorkloadsRoom } from "./workloads-cluster.test-support.ts";

const labels = { app: "busy" };

/** An autoscaler adds pods because containers use the processor, and removes them when they rest. */
export async function autoscalerProof(room: WorkloadsRoom): Promise<void> {
  const { client } = room;
  await client.create(Deployment, {
    metadata: { name: "busy" },
    spec: {
      ...{ replicas: 1, selector: { matchLabels: labels } },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            container("until [ -e /tmp/rest ]; do :; done; exec sleep 1000", {
              resources: { requests: { cpu: "50m" }, limits: { cpu: "100m" } },
            }),
          ],
        },
      },
    },
  } as never);
  await client.create(HorizontalPodAutoscaler, {
    metadata: { name: "busy" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "busy" },
      ...{ minReplicas: 1, maxReplicas: 2 },
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    },
  } as never);
  const scaledTo = (count: number): Promise<void> =>
    vi.waitFor(
      async () => {
        const { spec } = await client.get(Deployment, { name: "busy" });
        expect(spec.replicas).toBe(count);
      },
      { timeout: 2 * longEnoughMs, interval: 100 },
    );
  await scaledTo(2);
  // The status follows the change.
  await eventually(async () => {
    const { status } = await client.get(HorizontalPodAutoscaler, { name: "busy" });
    const [metric] = status.currentMetrics ?? [];
    expect(metric?.resource?.current?.averageUtilization).toBeGreaterThan(100);
  });
  const pods = await ready(room, 2);
  for (const { metadata } of pods) await room.exec(metadata.name ?? "", "touch /tmp/rest");
  await scaledTo(1);
}
