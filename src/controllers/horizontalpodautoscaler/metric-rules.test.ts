import { expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import {
  autoscaledCluster,
  autoscaler,
  conditionsOf,
  eventsOf,
  replicasOf,
  web,
} from "./autoscaled-cluster.test-support.ts";

/** Longer than the CPU usage of a new pod may be ignored. */
const started = "6m";
const utilization = (averageUtilization: number) => ({
  name: "cpu",
  target: { type: "Utilization" as const, averageUtilization },
});
const cpuAt80 = { type: "Resource" as const, resource: utilization(80) };

test("horizontal-pod-autoscaler-controller: a metric of one container does not count the others", async () => {
  await using world = await autoscaledCluster();
  const { spec, ...rest } = web({ "app.wherry.dev/cpu": "320m", "side.wherry.dev/cpu": "2" });
  const requests = { cpu: "200m" };
  const containers = ["app", "side"].map((name) => ({
    name,
    image: name,
    resources: { requests },
  }));
  const template = { ...spec.template, spec: { containers } };
  await world.client.create(Deployment, { ...rest, spec: { ...spec, template } });
  await world.advance(started);
  const containerResource = { ...utilization(80), container: "app" };
  const metrics = [{ type: "ContainerResource" as const, containerResource }];
  await world.client.create(HorizontalPodAutoscaler, autoscaler({ metrics }));
  await world.advance("16s");
  expect(await replicasOf(world)).toBe(2);
  const { status } = await world.client.get(HorizontalPodAutoscaler, { name: "web" });
  expect(status.currentMetrics).toEqual([
    {
      type: "ContainerResource",
      containerResource: {
        name: "cpu",
        container: "app",
        current: { averageUtilization: 160, averageValue: "320m" },
      },
    },
  ]);
  expect(await eventsOf(world)).toEqual([
    "Normal SuccessfulRescale: New size: 2; reason: cpu container resource utilization (percentage of request) above target",
  ]);
});

test("horizontal-pod-autoscaler-controller: a container that no pod has tells nothing", async () => {
  await using world = await autoscaledCluster();
  await world.client.create(Deployment, web({}));
  await world.advance(started);
  const containerResource = { ...utilization(80), container: "missing" };
  const metrics = [{ type: "ContainerResource" as const, containerResource }];
  await world.client.create(HorizontalPodAutoscaler, autoscaler({ metrics }));
  await world.advance("16s");
  expect((await conditionsOf(world))[1]).toBe(
    "ScalingActive=False FailedGetContainerResourceMetric: the HPA was unable to compute the replica count: failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
  );
});

test("horizontal-pod-autoscaler-controller: an autoscaler has tolerances of its own for each direction", async () => {
  await using world = await autoscaledCluster();
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "240m" }, 2));
  await world.advance(started);
  // The pods use half as much again as they should.
  const tolerating = (tolerance: string) =>
    autoscaler({ metrics: [cpuAt80], behavior: { scaleUp: { tolerance } } });
  await world.client.create(HorizontalPodAutoscaler, tolerating("500m"));
  await world.advance("2m");
  expect(await replicasOf(world)).toBe(2);
  const { spec } = tolerating("490m");
  await world.client.patch(HorizontalPodAutoscaler, { name: "web" }, { merge: { spec } });
  await world.advance("16s");
  expect(await replicasOf(world)).toBe(3);
});

test("horizontal-pod-autoscaler-controller: the tolerance for fewer pods is that of scaling down", async () => {
  await using world = await autoscaledCluster();
  // Three quarters of what is wanted: fewer pods, unless that is tolerated.
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "120m" }, 4));
  const behavior = { scaleDown: { tolerance: "300m", stabilizationWindowSeconds: 0 } };
  await world.client.create(HorizontalPodAutoscaler, autoscaler({ metrics: [cpuAt80], behavior }));
  await world.advance("8m");
  expect(await replicasOf(world)).toBe(4);
  const scaleDown = { tolerance: "100m" };
  const merge = { spec: { behavior: { scaleDown } } };
  await world.client.patch(HorizontalPodAutoscaler, { name: "web" }, { merge });
  await world.advance("31s");
  expect(await replicasOf(world)).toBe(3);
});

const unknownMetric = {
  type: "Pods" as const,
  pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "10" } },
};

test("horizontal-pod-autoscaler-controller: removes no pods while one of several metrics tells nothing", async () => {
  await using world = await autoscaledCluster();
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "10m" }, 4));
  const metrics = [cpuAt80, unknownMetric];
  await world.client.create(HorizontalPodAutoscaler, autoscaler({ metrics }));
  await world.advance("20m");
  expect(await replicasOf(world)).toBe(4);
  expect((await conditionsOf(world))[1]).toBe(
    "ScalingActive=False FailedGetPodsMetric: the HPA was unable to compute the replica count: unable to get metric requests: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered",
  );
  expect(await eventsOf(world)).toContain(
    "Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 2), first error is: failed to get pods metric value: unable to get metric requests: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered",
  );
  // Without the metric that fails, the other one counts alone.
  const { spec } = autoscaler({ metrics: [cpuAt80] });
  await world.client.patch(HorizontalPodAutoscaler, { name: "web" }, { merge: { spec } });
  await world.advance("10m");
  expect(await replicasOf(world)).toBe(1);
});

test("horizontal-pod-autoscaler-controller: adds pods although one of several metrics tells nothing", async () => {
  await using world = await autoscaledCluster();
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "320m" }));
  await world.advance(started);
  const metrics = [unknownMetric, cpuAt80];
  await world.client.create(HorizontalPodAutoscaler, autoscaler({ metrics }));
  await world.advance("16s");
  expect(await replicasOf(world)).toBe(2);
  expect((await conditionsOf(world))[1]).toMatch(/^ScalingActive=True ValidMetricFound/);
  const { status } = await world.client.get(HorizontalPodAutoscaler, { name: "web" });
  expect(status.currentMetrics).toMatchObject([{ type: "" }, { type: "Resource" }]);
});

test("horizontal-pod-autoscaler-controller: tells why its target could not be scaled, and tries again", async () => {
  await using world = await autoscaledCluster();
  await world.client.create(Deployment, web({ "wherry.dev/cpu": "320m" }));
  await world.advance(started);
  const stop = world.faults.add({
    calls: { resource: "deployments/scale", verb: "update" },
    fault: { type: "fail", error: new StatusError("Forbidden", "not today") },
  });
  await world.client.create(HorizontalPodAutoscaler, autoscaler());
  await world.advance("16s");
  expect(await replicasOf(world)).toBe(1);
  expect((await conditionsOf(world))[0]).toBe(
    "AbleToScale=False FailedUpdateScale: the HPA controller was unable to update the target scale: not today",
  );
  expect(await eventsOf(world)).toEqual([
    "Warning FailedRescale: New size: 2; reason: cpu resource utilization (percentage of request) above target; error: not today",
  ]);
  stop();
  await world.advance("16s");
  expect(await replicasOf(world)).toBe(2);
  expect((await conditionsOf(world))[0]).toBe(
    "AbleToScale=True SucceededRescale: the HPA controller was able to update the target scale to 2",
  );
});
