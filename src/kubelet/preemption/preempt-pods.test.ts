import { expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { clusterWithNodes } from "../nodes.test-support.ts";

const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
const critical = { priorityClassName: "system-node-critical" };
const nodes = [{ name: "node-1", capacity: { cpu: "2", memory: "4Gi", pods: "110" } }];

test("a critical pod starts when the pods that end for it have ended", async () => {
  const cluster = await clusterWithNodes(nodes);
  const { run, pod, eventsOf, advance } = cluster;
  await run({ name: "stays", container: requests("1") });
  await run({
    name: "goes",
    annotations: { "wherry.dev/stop-delay": "20s" },
    container: requests("900m"),
  });
  await advance("1s");
  await run({ name: "critical", spec: critical, container: requests("600m") });
  await advance("5s");
  expect((await pod("critical")).status.phase).toBe("Pending");
  expect((await pod("goes")).status.phase).toBe("Running");

  // What the critical pod leaves of the room is free at once.
  await run({ name: "fits", container: requests("400m") });
  await run({ name: "too-large", container: requests("100m") });
  await advance("1s");
  expect((await pod("too-large")).status).toMatchObject({ phase: "Failed", reason: "OutOfcpu" });
  expect((await pod("fits")).status.phase).toBe("Running");

  await advance("30s");
  const { phase, reason, message, conditions } = (await pod("goes")).status;
  expect({ phase, reason, message }).toEqual({
    phase: "Failed",
    reason: "Preempting",
    message: "Preempted in order to admit critical pod",
  });
  expect(conditions).toContainEqual(
    expect.objectContaining({
      ...{ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" },
      message: "Pod was preempted by Kubelet to accommodate a critical pod.",
    }),
  );
  expect(await eventsOf("goes")).toContain("Preempting: Preempted in order to admit critical pod");
  for (const name of ["critical", "stays", "fits"])
    expect((await pod(name)).status.phase, name).toBe("Running");
  await cluster.end();
});

test("a critical pod for which others cannot make room is rejected, and they run on", async () => {
  const cluster = await clusterWithNodes(nodes);
  const { run, pod, advance } = cluster;
  await run({ name: "stays", container: requests("1") });
  await run({ name: "critical", spec: critical, container: requests("3") });
  await run({
    name: "elsewhere",
    spec: { ...critical, nodeSelector: { no: "where" } },
    container: requests("2"),
  });
  await advance("5s");
  const rejection = async (name: string): Promise<Partial<Pod["status"]>> => {
    const { phase, reason, message } = (await pod(name)).status;
    return { phase, reason, message };
  };
  expect(await rejection("critical")).toMatchObject({
    phase: "Failed",
    reason: "UnexpectedAdmissionError",
    message: expect.stringContaining("reclaim resources: [(res: cpu, q: "),
  });
  expect(await rejection("elsewhere")).toMatchObject({ phase: "Failed", reason: "NodeAffinity" });
  expect((await pod("stays")).status.phase).toBe("Running");
  await cluster.end();
});

test("a critical pod that is deleted while it waits frees what it was given", async () => {
  const cluster = await clusterWithNodes(nodes);
  const { run, pod, advance, client } = cluster;
  await run({
    name: "goes",
    annotations: { "wherry.dev/stop-delay": "20s" },
    container: requests("2"),
  });
  await advance("1s");
  await run({ name: "critical", spec: critical, container: requests("2") });
  await client.delete(Pod, { name: "critical" });
  await advance("60s");
  await run({ name: "later", container: requests("2") });
  await advance("1s");
  expect((await pod("later")).status.phase).toBe("Running");
  await cluster.end();
});
