import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Probe } from "../../../api/core/v1/container/probe.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import { sleep } from "../../../base/clock.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { settableClock } from "../../../base/settable-clock.test-support.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { createProbeMetrics } from "./probe-metrics.ts";
import type { ProbeKind } from "./probe-results.ts";
import { ProbeWorker, type ProbeWorkerOptions } from "./probe-worker.ts";
import { ProbeError } from "./prober.ts";

type Answer = "success" | "failure" | "warning" | "error";

interface Options {
  readonly kind?: ProbeKind;
  readonly probe?: Partial<Probe>;
  /** The answer at a time in seconds. */
  readonly answer?: (seconds: number) => Answer;
  /** How long a probe takes, in seconds. */
  readonly takes?: number;
  /** The status of the pod when the worker begins. */
  readonly status?: PodStatus;
  /** When the kubelet started, in seconds; and how far into its period the first probe waits. */
  readonly kubelet?: { readonly startedAt: number; readonly jitter: number };
}

/** A worker on a virtual clock that starts at 100 s; times are seconds since then. */
function probing({ kind = "liveness", answer = () => "success", takes = 0, ...more }: Options) {
  const start = 100_000;
  const virtual = new VirtualClock(start);
  const clock = settableClock(virtual);
  const seconds = (): number => (virtual.now() - start) / 1000;
  const at: number[] = [];
  const events: string[] = [];
  const registry = new MetricsRegistry();
  let changes = 0;
  const pod = {
    metadata: { name: "p", namespace: "ns", uid: "1" },
    spec: { containers: [{ name: "c" }] },
    status: more.status ?? {},
  } as unknown as Pod;
  const options: ProbeWorkerOptions = {
    pod,
    container: { name: "c" } as never,
    kind,
    probe: { periodSeconds: 10, failureThreshold: 3, ...more.probe } as Probe,
    changed: () => changes++,
  };
  const worker = new ProbeWorker(options, {
    clock,
    prober: {
      async probe() {
        at.push(seconds());
        const result = answer(seconds());
        if (takes > 0) await sleep(clock, takes * 1000);
        if (result === "error") throw new ProbeError("no luck", "unknown");
        return { result, output: "out" };
      },
    },
    events: {
      container: (_: Pod, __: string, { message }: never) => events.push(message),
    } as never,
    probing: more.kubelet && {
      startedAt: start + more.kubelet.startedAt * 1000,
      random: { next: () => more.kubelet?.jitter ?? 0 },
      metrics: createProbeMetrics(registry),
    },
  });
  return {
    worker,
    at,
    events,
    text: () => registry.text(),
    changes: () => changes,
    advance: (more: number) => virtual.advance(more * 1000),
    jump: (more: number) => clock.jump(more * 1000),
    update: (status: PodStatus) => worker.update(pod, status),
  };
}

/** The status of a pod whose container runs since a time in seconds. */
const running = (since = 0, more: object = {}): PodStatus => ({
  podIP: "10.0.0.1",
  containerStatuses: [
    {
      name: "c",
      containerID: "wherry://one",
      started: true,
      state: { running: { startedAt: new Date(100_000 + since * 1000).toISOString() } },
      ...more,
    } as never,
  ],
});

const ended = (more: object = {}): PodStatus =>
  running(0, { started: false, state: { terminated: { exitCode: 1 } }, ...more });

test("ProbeWorker: the periods begin with the worker, not with the container", async () => {
  const { at, update, advance } = probing({});
  await advance(3);
  update(running(3));
  await advance(30);
  expect(at).toEqual([10, 20, 30]);
});

test("ProbeWorker: the first probe is at the first tick after the initial delay", async () => {
  const { at, update, advance } = probing({ probe: { initialDelaySeconds: 15 } });
  await advance(3);
  update(running(3));
  await advance(40);
  expect(at).toEqual([20, 30, 40]);
});

test("ProbeWorker: a container that is not ready is probed at once, and then once per period", async () => {
  const { worker, at, update, advance, changes } = probing({
    kind: "readiness",
    answer: (seconds) => (seconds < 20 ? "failure" : "success"),
  });
  await advance(3);
  update(running(3));
  expect(worker.result).toBe("failure");
  await advance(2);
  update(running(3));
  await advance(40);
  expect(at).toEqual([3, 5, 15, 25, 35, 45]);
  expect([worker.result, changes()]).toEqual(["success", 1]);
});

test("ProbeWorker: an update within the initial delay moves the ticks of a readiness probe", async () => {
  const { at, update, advance } = probing({
    kind: "readiness",
    probe: { initialDelaySeconds: 5 },
  });
  await advance(3);
  update(running(3));
  await advance(20);
  expect(at).toEqual([13, 23]);
});

test("ProbeWorker: an update during a readiness probe causes another one", async () => {
  const { at, update, advance } = probing({
    kind: "readiness",
    answer: () => "failure",
    takes: 1,
  });
  update(running());
  await advance(0.5);
  update(running());
  update(running());
  await advance(12);
  expect(at).toEqual([0, 1, 11]);
});

test("ProbeWorker: probes that take longer than a period follow each other", async () => {
  const { at, update, advance } = probing({
    probe: { periodSeconds: 1, failureThreshold: 100 },
    answer: () => "failure",
    takes: 2.5,
  });
  update(running());
  await advance(9);
  expect(at).toEqual([1, 3.5, 6, 8.5]);
});

each<[kind: ProbeKind, started: boolean, count: number]>([
  ["startup", false, 3],
  ["startup", true, 0],
  ["readiness", false, 0],
  ["liveness", false, 0],
  ["liveness", true, 3],
])(
  "ProbeWorker: %s of a container with started %s sends %i probes",
  async (kind, started, count) => {
    const { at, update, advance } = probing({ kind, answer: () => "error" });
    update(running(0, { started }));
    await advance(10);
    expect(at).toHaveLength(count);
  },
);

test("ProbeWorker: an error is retried twice, recorded once, and is no result", async () => {
  const { worker, at, events, update, advance, text } = probing({
    probe: { failureThreshold: 1 },
    answer: () => "error",
    kubelet: { startedAt: -1000, jitter: 0 },
  });
  update(running());
  await advance(10);
  expect(at).toEqual([10, 10, 10]);
  expect(events).toEqual(["Liveness probe errored and resulted in unknown state: no luck"]);
  expect([worker.result, text()]).toEqual(["success", ""]);
});

test("ProbeWorker: after the last failure of a liveness probe only a new container is probed", async () => {
  const { worker, at, events, update, advance } = probing({ answer: () => "failure" });
  update(running());
  await advance(60);
  expect([at, worker.result]).toEqual([[10, 20, 30], "failure"]);
  update(ended());
  await advance(10);
  update(running(65, { containerID: "wherry://two" }));
  expect(worker.result).toBe("success");
  await advance(15);
  expect(at).toEqual([10, 20, 30, 70, 80]);
  expect(new Set(events)).toEqual(new Set(["Liveness probe failed: out"]));
});

test("ProbeWorker: results in a row count across restarts that the probe did not cause", async () => {
  const { worker, at, update, advance } = probing({ answer: () => "failure" });
  update(running());
  await advance(25);
  update(ended());
  expect(worker.result).toBe("failure");
  update(running(26, { containerID: "wherry://two" }));
  expect(worker.result).toBe("success");
  await advance(10);
  expect([at, worker.result]).toEqual([[10, 20, 30], "failure"]);
});

test("ProbeWorker: a probe whose container is gone does not count, and the new one is probed at once", async () => {
  const { worker, at, update, advance } = probing({ kind: "readiness", takes: 2 });
  update(running());
  await advance(1);
  update(ended());
  update(running(1, { containerID: "wherry://two" }));
  await advance(1.5);
  expect([at, worker.result]).toEqual([[0, 2], "failure"]);
  await advance(2);
  expect(worker.result).toBe("success");
});

test("ProbeWorker: a warning counts as success", async () => {
  const { worker, events, update, advance } = probing({
    kind: "startup",
    answer: () => "warning",
  });
  update(running(0, { started: false }));
  expect(worker.result).toBe("unknown");
  await advance(50);
  expect([worker.result, events]).toEqual(["success", ["Startup probe warning: out"]]);
});

test("ProbeWorker: stop keeps the result, drops that of the current probe, and removes metrics", async () => {
  const { worker, events, update, advance, text } = probing({
    answer: (seconds) => (seconds < 15 ? "success" : "failure"),
    takes: 1,
    kubelet: { startedAt: -1000, jitter: 0 },
  });
  update(running());
  await advance(12);
  expect(text()).toContain('probe_type="Liveness",result="successful"} 1');
  await advance(8.5);
  worker.stop("success");
  await advance(60);
  expect([worker.result, events, text()]).toEqual(["success", [], ""]);
});

each<[name: string, startedAt: number, firsts: number[]]>([
  ["soon after its start, the kubelet waits for a part of the period", -2, [4, 14]],
  ["later, it does not wait", -10, [0, 10]],
])("ProbeWorker: %s", async (_, startedAt, firsts) => {
  const { at, update, advance } = probing({
    status: running(-50),
    kubelet: { startedAt, jitter: 0.4 },
  });
  update(running(-50));
  await advance(15);
  expect(at).toEqual(firsts);
});

const ready = [{ type: "Ready", status: "True" }];

each<[kind: ProbeKind, status: object, result: string]>([
  ["readiness", { ...running(-50), conditions: ready }, "success"],
  ["readiness", running(-50), "failure"],
  // Nine seconds before the kubelet is no restart.
  ["readiness", { ...running(-9), conditions: ready }, "failure"],
  ["startup", running(-50), "success"],
  ["startup", running(-50, { started: false }), "unknown"],
  ["liveness", running(-50), "success"],
])("ProbeWorker: %s after a restart of the kubelet", async (kind, status, result) => {
  const { worker } = probing({
    kind,
    status: status as PodStatus,
    kubelet: { startedAt: 0, jitter: 0 },
  });
  expect(worker.result).toBe(result);
});

each<[title: string, seconds: number]>([
  ["an hour later", 3600],
  ["an hour earlier", -3600],
])("a clock that is set %s changes neither the period nor the initial delay", async (_, jumped) => {
  const { at, advance, update, jump } = probing({ probe: { initialDelaySeconds: 15 } });
  update(running());
  await advance(5);
  jump(jumped);
  update(running());
  await advance(30);
  jump(jumped);
  update(running());
  await advance(15);
  expect(at).toEqual([20, 30, 40, 50]);
});
