import { expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Client } from "../../client/client.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import { startKubelet } from "../one-kubelet.test-support.ts";
import { follow } from "./pod-life.test-support.ts";

type Method = "listContainers" | "listPodSandboxes" | "stopContainer" | "runPodSandbox";

/** A kubelet whose runtime fails while a test wants it to. */
async function startWithFaults() {
  const faults = new Map<Method, (calls: number) => boolean>();
  const calls = new Map<Method, number>();
  const kubelet = await startKubelet({
    around: (runtime) =>
      new Proxy(runtime, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== "function") return value;
          return (...args: readonly unknown[]) => {
            const method = name as Method;
            const count = (calls.get(method) ?? 0) + 1;
            calls.set(method, count);
            if (faults.get(method)?.(count))
              return Promise.reject(new RuntimeError("Unavailable", "gone"));
            return value.apply(target, args) as unknown;
          };
        },
      }) as SimulatedRuntime,
  });
  return { ...kubelet, faults, calls };
}

/** The warnings of a pod: `REASON: message`. */
async function warningsOf(client: Client, pod: string): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace: "default" });
  return items
    .filter(({ type, involvedObject }) => type === "Warning" && involvedObject.name === pod)
    .map(({ reason, message }) => `${reason}: ${message}`);
}

test("pods wait for the network of their node, unless they use the node's own", async () => {
  let problem: string | undefined = "container runtime network not ready: <nil>";
  const { run, pod, advance, client } = await startKubelet({
    kubelet: { networkProblem: async () => problem },
  });
  await run("waits");
  await run("host", { spec: { hostNetwork: true } });
  await advance("5s");
  expect((await pod("waits")).status.phase).toBe("Pending");
  expect((await pod("host")).status.phase).toBe("Running");
  expect(await warningsOf(client, "waits")).toEqual([
    "NetworkNotReady: network is not ready: container runtime network not ready: <nil>",
  ]);
  expect(await warningsOf(client, "host")).toEqual([]);
  problem = undefined;
  await advance("2s");
  expect((await pod("waits")).status.phase).toBe("Running");
});

test("a pod whose status cannot be determined has an event", async () => {
  const { run, pod, advance, client, faults } = await startWithFaults();
  faults.set("listPodSandboxes", () => true);
  await run("lost");
  await advance("1s");
  expect(await warningsOf(client, "lost")).toEqual([
    "FailedSync: error determining status: rpc error: code = Unavailable desc = gone",
  ]);
  faults.clear();
  await advance("20s");
  expect((await pod("lost")).status.phase).toBe("Running");
});

test("a pod that cannot be killed has an event, and is killed later", async () => {
  const { run, advance, client, faults } = await startWithFaults();
  await run("stays");
  await advance("2s");
  faults.set("stopContainer", () => true);
  await client.delete(Pod, { name: "stays" });
  await advance("40s");
  expect(await warningsOf(client, "stays")).toEqual([
    `FailedKillPod: error killing pod: failed to "KillContainer" for "c" with KillContainerError: "rpc error: code = Unavailable desc = gone"`,
  ]);
  faults.clear();
  await advance("60s");
  await expect(client.get(Pod, { name: "stays" })).rejects.toMatchObject({ reason: "NotFound" });
});

test("containers that end before anybody looks are shown running first", async () => {
  const { run, advance, ...cluster } = await startKubelet({
    around: (runtime) => {
      const start = runtime.startContainer.bind(runtime);
      return Object.assign(runtime, {
        async startContainer(id: string) {
          await start(id);
          await runtime.stopContainer(id, 0);
        },
      });
    },
  });
  const { history, close } = follow(cluster, "quick");
  await run("quick", { spec: { restartPolicy: "Never" } });
  await advance("1s");
  expect(history).toEqual(["c running ready x0", "c terminated Completed 0 x0"]);
  close();
});

test("a pod whose new sandbox is not found has an event", async () => {
  const { run, pod, advance, client, faults, calls } = await startWithFaults();
  faults.set("listContainers", () => calls.get("runPodSandbox") === 1);
  await run("unseen");
  await advance("1s");
  expect(await warningsOf(client, "unseen")).toContain(
    "FailedPodSandBoxStatus: Unable to get pod sandbox status: rpc error: code = Unavailable desc = gone",
  );
  faults.clear();
  await advance("20s");
  expect((await pod("unseen")).status.phase).toBe("Running");
});
