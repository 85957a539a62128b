import { expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import {
  autoscaler,
  autoscaledCluster as cluster,
  conditionsOf,
  eventsOf,
  replicasOf,
  web,
} from "./autoscaled-cluster.test-support.ts";

test("horizontal-pod-autoscaler-controller: adds pods while they use more CPU than they should, up to the maximum", async () => {
  await using world = await cluster();
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "320m" }));
  await world.advance("6m");
  await world.client.create(HorizontalPodAutoscaler, autoscaler());
  await world.advance("16s");
  expect(await replicasOf(world)).toBe(2);
  const { status } = await world.client.get(HorizontalPodAutoscaler, { name: "web" });
  expect(status).toMatchObject({
    currentReplicas: 1,
    desiredReplicas: 2,
    lastScaleTime: "2026-01-01T00:06:15Z",
    currentMetrics: [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 160, averageValue: "320m" } },
      },
    ],
  });
  expect(await conditionsOf(world)).toEqual([
    "AbleToScale=True SucceededRescale: the HPA controller was able to update the target scale to 2",
    "ScalingActive=True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
    "ScalingLimited=False DesiredWithinRange: the desired count is within the acceptable range",
  ]);
  expect(await eventsOf(world)).toEqual([
    "Normal SuccessfulRescale: New size: 2; reason: cpu resource utilization (percentage of request) above target",
  ]);
  await world.advance("30m");
  expect(await replicasOf(world)).toBe(10);
  expect((await conditionsOf(world))[2]).toBe(
    "ScalingLimited=True TooManyReplicas: the desired replica count is more than the maximum replica count",
  );
});

test("horizontal-pod-autoscaler-controller: removes pods once no higher recommendation is five minutes young", async () => {
  await using world = await cluster();
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "20m" }, 4));
  await world.client.create(HorizontalPodAutoscaler, autoscaler());
  await world.advance("5m");
  expect(await replicasOf(world)).toBe(4);
  expect((await conditionsOf(world))[0]).toBe(
    "AbleToScale=True ScaleDownStabilized: recent recommendations were higher than current one, applying the highest recent recommendation",
  );
  await world.advance("2m");
  expect(await replicasOf(world)).toBe(1);
  expect(await eventsOf(world)).toContain(
    "Normal SuccessfulRescale: New size: 1; reason: All metrics below target",
  );
});

test("horizontal-pod-autoscaler-controller: leaves a target alone whose size is zero", async () => {
  await using world = await cluster();
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "320m" }, 0));
  await world.client.create(HorizontalPodAutoscaler, autoscaler({ minReplicas: 2 }));
  await world.advance("2m");
  expect(await replicasOf(world)).toBe(0);
  expect(await conditionsOf(world)).toEqual([
    "AbleToScale=True SucceededGetScale: the HPA controller was able to get the target's current scale",
    "ScalingActive=False ScalingDisabled: scaling is disabled since the replica count of the target is zero",
  ]);
  expect(await eventsOf(world)).toEqual([]);
});

test.each([
  [
    12,
    10,
    "Normal SuccessfulRescale: New size: 10; reason: Current number of replicas above Spec.MaxReplicas",
  ],
  [
    1,
    3,
    "Normal SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas",
  ],
])(
  "horizontal-pod-autoscaler-controller: %i pods become %i without any metric",
  async (size, desired, event) => {
    await using world = await cluster();
    await world.client.create(Deployment, web({}, size));
    await world.client.create(HorizontalPodAutoscaler, autoscaler({ minReplicas: 3 }));
    await world.advance("16s");
    expect(await replicasOf(world)).toBe(desired);
    expect((await eventsOf(world))[0]).toBe(event);
  },
);

test("horizontal-pod-autoscaler-controller: tells which pod requests nothing, and scales no more", async () => {
  await using world = await cluster();
  const { spec, ...rest } = web({});
  const containers = [{ name: "app", image: "app:1" }];
  const template = { ...spec.template, spec: { containers } };
  await world.client.create(Deployment, { ...rest, spec: { ...spec, template } });
  await world.client.create(HorizontalPodAutoscaler, autoscaler());
  await world.advance("2m");
  const [, active = ""] = await conditionsOf(world);
  expect(active).toMatch(
    /^ScalingActive=False FailedGetResourceMetric: the HPA was unable to compute the replica count: failed to get cpu utilization: missing request for cpu in container app of Pod web-\w+-\w+$/,
  );
  const events = await eventsOf(world);
  expect(events.map((text) => text.replace(/web-\w+-\w+/, "POD")).slice(-2)).toEqual([
    "Warning FailedGetResourceMetric: failed to get cpu utilization: missing request for cpu in container app of Pod POD",
    "Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: failed to get cpu utilization: missing request for cpu in container app of Pod POD",
  ]);
});

test("horizontal-pod-autoscaler-controller: without an API of custom or external metrics, says so", async () => {
  await using world = await cluster();
  await world.client.create(Deployment, web({}));
  const value = { type: "AverageValue" as const, averageValue: "10" };
  await world.client.create(
    HorizontalPodAutoscaler,
    autoscaler({
      metrics: [
        { type: "Pods", pods: { metric: { name: "requests" }, target: value } },
        {
          type: "External",
          external: {
            metric: { name: "queue", selector: { matchLabels: { q: "a" } } },
            target: value,
          },
        },
      ],
    }),
  );
  await world.advance("16s");
  expect((await conditionsOf(world))[1]).toBe(
    "ScalingActive=False FailedGetPodsMetric: the HPA was unable to compute the replica count: unable to get metric requests: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered",
  );
  expect(await eventsOf(world)).toContain(
    "Warning FailedGetExternalMetric: failed to get queue external metric: unable to get external metric default/queue/&LabelSelector{MatchLabels:map[string]string{q: a,},MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)",
  );
});

test("horizontal-pod-autoscaler-controller: two autoscalers of the same pods scale neither", async () => {
  await using world = await cluster();
  await world.client.create(Deployment, web({}));
  await world.client.create(HorizontalPodAutoscaler, autoscaler());
  const { spec } = autoscaler();
  await world.client.create(HorizontalPodAutoscaler, { metadata: { name: "other" }, spec });
  await world.advance("31s");
  expect((await conditionsOf(world))[1]).toBe(
    "ScalingActive=False AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [{other default} {web default}]",
  );
  await world.client.delete(HorizontalPodAutoscaler, { name: "other" });
  await world.advance("15s");
  expect((await conditionsOf(world))[1]).toContain("ScalingActive=True ValidMetricFound");
});
