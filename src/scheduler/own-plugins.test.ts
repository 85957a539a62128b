import { afterEach, expect, test } from "vitest";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { podOf, type SchedulingCluster, schedulingCluster } from "./cluster.test-support.ts";
import type { Handle } from "./framework/handle.ts";
import type { Plugin } from "./framework/plugin.ts";
import { errorStatus, status } from "./framework/status.ts";
import type { SchedulerOptions } from "./scheduler.ts";

let cluster: SchedulingCluster;
afterEach(() => cluster.end());

/** A profile with the test's plugins beside the default ones. */
const withPlugins = (
  plugins: readonly (Plugin | ((handle: Handle) => Plugin & { readonly name: string }))[],
  more: object = {},
): SchedulerOptions => {
  const registry = plugins.map((one, i) =>
    typeof one === "function"
      ? ([`Own${i}`, (_: unknown, handle: Handle) => one(handle)] as const)
      : ([one.name, () => one] as const),
  );
  return {
    plugins: Object.fromEntries(registry),
    configuration: {
      profiles: [
        { plugins: { multiPoint: { enabled: registry.map(([name]) => ({ name })) }, ...more } },
      ],
    },
  };
};

const condition = ({ status: { conditions } }: Pod) =>
  conditions?.find(({ type }) => type === "PodScheduled");

test("a plugin keeps pods with the annotation test-plugin pending, without a change of the core", async () => {
  cluster = await schedulingCluster(
    withPlugins([
      {
        name: "TestPlugin",
        filter: (_, { pod }) =>
          pod.metadata.annotations?.["test-plugin"] === undefined
            ? undefined
            : status("Unschedulable", "testPlugin"),
      },
    ]),
  );
  await cluster.node("n1");
  await cluster.pod("free");
  const annotated = podOf("annotated");
  await cluster.client.create(Pod, {
    ...annotated,
    metadata: { ...annotated.metadata, annotations: { "test-plugin": "any" } },
  } as never);
  await cluster.advance("1m");
  expect(await cluster.placement()).toEqual({ free: "n1", annotated: undefined });
  expect(condition(await cluster.getPod("annotated"))).toMatchObject({
    reason: "Unschedulable",
    message: expect.stringContaining("0/1 nodes are available: 1 testPlugin."),
  });
});

test("a custom plugin gets its arguments, and runs only where it is enabled", async () => {
  const given: unknown[] = [];
  cluster = await schedulingCluster({
    plugins: {
      Mine: (args) => {
        given.push(args);
        return {
          name: "Mine",
          filter: () => status("Unschedulable", "no"),
          postBind: () => given.push("bound"),
        };
      },
    },
    configuration: {
      profiles: [
        {
          plugins: { postBind: { enabled: [{ name: "Mine" }] } },
          pluginConfig: [{ name: "Mine", args: { colour: "blue" } }],
        },
      ],
    },
  });
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  expect(given).toEqual([{ colour: "blue" }, "bound"]);
});

test("a pod that permit rejects is unreserved in reverse order, and has an event", async () => {
  const done: string[] = [];
  const reserving = (name: string): Plugin => ({
    name,
    reserve() {
      done.push(`reserve ${name}`);
      return undefined;
    },
    unreserve: () => void done.push(`unreserve ${name}`),
  });
  const denies: Plugin = {
    name: "Denies",
    // No event requeues it, so that the pod is tried once.
    eventsToRegister: () => [],
    permit: () => ({ status: status("Unschedulable", "not today") }),
  };
  cluster = await schedulingCluster(withPlugins([reserving("A"), reserving("B"), denies]));
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  expect(done).toEqual(["reserve A", "reserve B", "unreserve B", "unreserve A"]);
  expect(condition(await cluster.getPod("web"))).toMatchObject({
    reason: "Unschedulable",
    message: "0/1 nodes are available: 1 not today.",
  });
});

test("a rejection by reserve ends the attempt; all plugins are unreserved", async () => {
  const done: string[] = [];
  const full: Plugin = {
    name: "Full",
    eventsToRegister: () => [],
    reserve: () => status("Unschedulable", "full"),
    unreserve: () => void done.push("unreserve"),
    permit() {
      done.push("permit");
      return undefined;
    },
  };
  cluster = await schedulingCluster(withPlugins([full]));
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  expect(done).toEqual(["unreserve"]);
  expect(condition(await cluster.getPod("web"))?.message).toBe("0/1 nodes are available: 1 full.");
});

const waits = (timeoutMs: number): Plugin => ({
  name: "Waits",
  permit: () => ({ status: status("Wait"), timeoutMs }),
});

test("a pod that waits for permit is bound once it is allowed, and its nominated node is written", async () => {
  let allow: () => void = () => {};
  cluster = await schedulingCluster(
    withPlugins([
      (handle) => ({
        ...waits(60_000),
        name: "Own0",
        permit(_, { uid }) {
          allow = () => handle.waitingPod(uid)?.allow("Own0");
          return { status: status("Wait"), timeoutMs: 60_000 };
        },
      }),
    ]),
  );
  await cluster.node("n1", { cpu: "1" });
  await cluster.pod("web");
  await cluster.advance("30s");
  const waiting = await cluster.getPod("web");
  expect(waiting.spec.nodeName).toBeUndefined();
  expect(waiting.status.nominatedNodeName).toBe("n1");
  allow();
  await cluster.settled();
  expect((await cluster.getPod("web")).spec.nodeName).toBe("n1");
});

test("a pod that waits for permit too long is rejected and frees its resources", async () => {
  cluster = await schedulingCluster(withPlugins([waits(10_000)]));
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.advance("9s");
  expect(condition(await cluster.getPod("web"))).toBeUndefined();
  await cluster.advance("1s");
  expect(condition(await cluster.getPod("web"))).toMatchObject({
    reason: "Unschedulable",
    message:
      "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Waits.",
  });
});

test("a pod that is deleted while it waits for permit frees its resources at once", async () => {
  cluster = await schedulingCluster(withPlugins([waits(600_000)]));
  await cluster.node("n1", { pods: "1" });
  await cluster.pod("first");
  await cluster.settled();
  await cluster.client.delete(Pod, { name: "first", namespace: "default" });
  await cluster.pod("second");
  await cluster.advance("2s");
  expect((await cluster.getPod("second")).status.nominatedNodeName).toBe("n1");
});

test("the first plugin that does not skip binds the pod", async () => {
  const bound: string[] = [];
  const binds = (name: string, skips: boolean): Plugin => ({
    name,
    async bind() {
      bound.push(name);
      return skips ? status("Skip") : undefined;
    },
  });
  cluster = await schedulingCluster(
    withPlugins([binds("Skips", true), binds("Binds", false)], {
      bind: { disabled: [{ name: "DefaultBinder" }] },
    }),
  );
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  expect(bound).toEqual(["Skips", "Binds"]);
  expect(await cluster.podEvents()).toEqual([
    "Scheduled web: Successfully assigned default/web to n1",
  ]);
});

test("a failed binding is rolled back, reported as an error, and retried after a backoff", async () => {
  let attempts = 0;
  const done: string[] = [];
  const failsOnce: Plugin = {
    name: "FailsOnce",
    async bind() {
      attempts++;
      return attempts === 1 ? errorStatus(new Error("no answer")) : status("Skip");
    },
    unreserve: () => void done.push("unreserve"),
  };
  cluster = await schedulingCluster(
    withPlugins([failsOnce], {
      bind: {
        disabled: [{ name: "*" }],
        enabled: [{ name: "FailsOnce" }, { name: "DefaultBinder" }],
      },
    }),
  );
  await cluster.node("n1", { pods: "1" });
  await cluster.pod("web");
  await cluster.settled();
  const failed = await cluster.getPod("web");
  expect(condition(failed)).toMatchObject({
    status: "False",
    reason: "SchedulerError",
    message: 'running Bind plugin "FailsOnce": no answer',
  });
  expect(done).toEqual(["unreserve"]);
  await cluster.advance("3s");
  expect(await cluster.placement()).toEqual({ web: "n1" });
});

test("preBind runs before bind, in parallel where allowed, and not for plugins without work", async () => {
  const done: string[] = [];
  const before = (name: string, mayRunInParallel: boolean): Plugin => ({
    name,
    preBindPreFlight: () => ({ mayRunInParallel }),
    async preBind() {
      done.push(`${name} begins`);
      await Promise.resolve();
      done.push(`${name} ends`);
      return undefined;
    },
  });
  const idle: Plugin = {
    name: "Idle",
    preBindPreFlight: () => status("Skip"),
    async preBind() {
      done.push("never");
      return undefined;
    },
  };
  cluster = await schedulingCluster(
    withPlugins([before("A", true), before("B", true), idle, before("C", false)]),
  );
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  expect(done).toEqual(["A begins", "B begins", "A ends", "B ends", "C begins", "C ends"]);
  expect(await cluster.placement()).toEqual({ web: "n1" });
});

test("an error in preBind fails the attempt, and the pod is retried", async () => {
  let attempts = 0;
  const failsOnce: Plugin = {
    name: "FailsOnce",
    async preBind() {
      attempts++;
      if (attempts === 1) throw new Error("no volume");
      return undefined;
    },
  };
  cluster = await schedulingCluster(withPlugins([failsOnce]));
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  expect(condition(await cluster.getPod("web"))).toMatchObject({
    reason: "SchedulerError",
    message: 'running PreBind plugin "FailsOnce": no volume',
  });
  await cluster.advance("3s");
  expect(await cluster.placement()).toEqual({ web: "n1" });
});

test("pods in podsToActivate are tried right after the current one", async () => {
  const activates: Plugin = {
    name: "Activates",
    filter: (_, { name }) =>
      name === "sleeper" && !isAwake ? status("Unschedulable", "asleep") : undefined,
    reserve(state, { name }) {
      if (name !== "waker") return undefined;
      isAwake = true;
      state.podsToActivate.set("default/sleeper", { name: "sleeper", namespace: "default" });
      return undefined;
    },
    eventsToRegister: () => [],
  };
  let isAwake = false;
  cluster = await schedulingCluster(withPlugins([activates]));
  await cluster.node("n1");
  await cluster.pod("sleeper");
  await cluster.settled();
  expect((await cluster.placement()).sleeper).toBeUndefined();
  await cluster.pod("waker");
  await cluster.settled();
  expect(await cluster.placement()).toEqual({ sleeper: "n1", waker: "n1" });
});
