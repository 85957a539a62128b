import { expect, test } from "vitest";
import { Lease } from "../api/coordination/v1/lease.ts";
import { Node } from "../api/core/v1/node/node.ts";
import { decodeJson } from "../schema/json/decode.ts";
import {
  defaultedConfiguration,
  type KubeletConfigurationInput,
} from "./config/default-kubelet-configuration.ts";
import { KubeletConfiguration } from "./config/kubelet-configuration.ts";
import { kubeletSettings } from "./config/kubelet-settings.ts";
import { startKubelet } from "./one-kubelet.test-support.ts";

const usualGates = ["KubeletCrashLoopBackOffMax"];

/** The settings of a file with these fields. */
function settings(fields: KubeletConfigurationInput, gates: readonly string[] = usualGates) {
  const on = new Set(gates);
  const { value } = decodeJson(KubeletConfiguration, JSON.stringify(fields));
  const config = defaultedConfiguration(value as KubeletConfigurationInput, () => ({
    ...{ on, problems: [] },
  }));
  return kubeletSettings(config, on);
}

test.each<[string, KubeletConfigurationInput, readonly string[], number, number]>([
  ["the defaults", {}, usualGates, 10_000, 300_000],
  [
    "a maximum",
    { crashLoopBackOff: { maxContainerRestartPeriod: "30s" } },
    usualGates,
    10_000,
    30_000,
  ],
  [
    "a short one",
    { crashLoopBackOff: { maxContainerRestartPeriod: "3s" } },
    usualGates,
    3000,
    3000,
  ],
  ["faster by a gate", {}, ["ReduceDefaultCrashLoopBackOffDecay"], 1000, 60_000],
  [
    "both gates",
    { crashLoopBackOff: { maxContainerRestartPeriod: "2m" } },
    [...usualGates, "ReduceDefaultCrashLoopBackOffDecay"],
    ...([1000, 120_000] as const),
  ],
  ["neither gate", {}, [], 10_000, 300_000],
])("kubeletSettings: the backoff of restarts, with %s", (_, fields, gates, shortest, longest) => {
  expect(settings(fields, gates).kubelet.restartBackoff).toEqual({ shortest, longest });
});

test("kubeletSettings: a container that fails is restarted as soon as the configuration says", async () => {
  const { run, pod, advance } = await startKubelet(
    settings({ crashLoopBackOff: { maxContainerRestartPeriod: "2s" } }),
  );
  await run("crash", { container: { command: ["false"] } });
  await advance("30s");
  const restarts = (await pod("crash")).status.containerStatuses?.[0]?.restartCount ?? 0;
  expect(restarts).toBeGreaterThan(10);
});

test("kubeletSettings: a node allows unsafe sysctls, others fail pods", async () => {
  const { run, pod, advance } = await startKubelet(
    settings({ allowedUnsafeSysctls: ["kernel.msg*"] }),
  );
  const sysctl = (name: string) => ({
    spec: { securityContext: { sysctls: [{ name, value: "1" }] } },
  });
  await run("allowed", sysctl("kernel.msgmax"));
  await run("forbidden", sysctl("kernel.sem"));
  await advance("5s");
  expect((await pod("allowed")).status.phase).toBe("Running");
  expect((await pod("forbidden")).status).toMatchObject({
    phase: "Failed",
    reason: "SysctlForbidden",
  });
});

test("kubeletSettings: a node that others register runs pods, and writes its status when it exists", async () => {
  const { run, pod, advance, client, nodeName } = await startKubelet(
    settings({ registerNode: false }),
  );
  await run("early");
  await advance("20s");
  expect((await client.list(Node)).items).toEqual([]);
  expect((await pod("early")).status.phase).toBe("Running");
  await client.create(Node, { metadata: { name: nodeName, labels: { mine: "yes" } } } as never);
  await advance("20s");
  const { metadata, status } = await client.get(Node, { name: nodeName });
  expect(metadata.labels).toEqual({ mine: "yes" });
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: "Ready", status: "True" }),
  );
});

test("kubeletSettings: leases and statuses are renewed in the configured time", async () => {
  const { client, nodeName, advance } = await startKubelet(
    settings({
      nodeLeaseDurationSeconds: 8,
      nodeStatusUpdateFrequency: "3s",
      nodeStatusReportFrequency: "30s",
    }),
  );
  const lease = () => client.get(Lease, { name: nodeName, namespace: "kube-node-lease" });
  const renewed = async () => Date.parse((await lease()).spec.renewTime ?? "");
  const version = async () =>
    (await client.get(Node, { name: nodeName })).metadata.resourceVersion ?? "";
  await advance("10s");
  expect((await lease()).spec.leaseDurationSeconds).toBe(8);
  const before = await renewed();
  await advance("2s");
  expect((await renewed()) - before).toBe(2000);
  const known = await version();
  await advance("15s");
  expect(await version()).toBe(known);
  await advance("20s");
  expect(await version()).not.toBe(known);
});

test("kubeletSettings: what the runtime does not tell is found with the next sync", async () => {
  const { run, pod, advance } = await startKubelet({
    ...settings({ syncFrequency: "20s" }),
    around: (runtime) =>
      new Proxy(runtime, {
        get(target, name) {
          if (name === "containerEvents") return () => () => {};
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      }),
  });
  await run("quiet", { container: { command: ["sleep", "40"] }, spec: { restartPolicy: "Never" } });
  await advance("35s");
  expect((await pod("quiet")).status.phase).toBe("Running");
  await advance("35s");
  expect((await pod("quiet")).status.phase).toBe("Succeeded");
});
