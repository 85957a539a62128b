import { expect, test } from "vitest";
import type { LifecycleHandler } from "../../../api/core/v1/container/lifecycle.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { createHookRunner } from "./create-hook-runner.ts";
import { createHookMetrics } from "./hook-metrics.ts";

function runnerWith(exec: { readonly exitCode: number; readonly stderr: string } | "endless") {
  const clock = new VirtualClock();
  const registry = new MetricsRegistry();
  const sent: unknown[] = [];
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const runner = createHookRunner({
    runtime: {
      async execSync(_, command, timeoutSeconds) {
        sent.push({ command, timeoutSeconds });
        if (exec === "endless") return new Promise<never>(() => {});
        return { exitCode: exec.exitCode, stdout: bytes("out\n"), stderr: bytes(exec.stderr) };
      },
    },
    clock,
    httpGet: async ({ handler }) => void sent.push(handler),
    metrics: createHookMetrics(registry),
  });
  const end = new AbortController();
  const run = (handler: LifecycleHandler): Promise<void> =>
    runner.run({
      hook: "preStop",
      handler,
      container: { name: "c" } as never,
      containerId: "id",
      podIP: "10.0.0.1",
      signal: end.signal,
      record: () => {},
    });
  return { run, clock, sent, end, text: () => registry.text() };
}

test("createHookRunner: a command runs without a timeout and fails with its output", async () => {
  const { run, sent } = runnerWith({ exitCode: 4, stderr: "bad\n" });
  await expect(run({ exec: { command: ["stop", "now"] } })).rejects.toMatchObject({
    message: "command 'stop now' exited with 4: bad\n",
    output: "out\nbad\n",
  });
  expect(sent).toEqual([{ command: ["stop", "now"], timeoutSeconds: 0 }]);
  await runnerWith({ exitCode: 0, stderr: "" }).run({ exec: { command: ["true"] } });
});

test("createHookRunner: nobody waits for a command whose time is over", async () => {
  const { run, end } = runnerWith("endless");
  const running = run({ exec: { command: ["sleep", "60"] } });
  end.abort();
  await expect(running).rejects.toThrow("rpc error: code = Canceled desc = context canceled");
});

test("createHookRunner: sleeps, unless the container ends", async () => {
  const { run, clock, end, text } = runnerWith("endless");
  const slept = run({ sleep: { seconds: 5 } });
  await clock.advance(5000);
  await slept;
  expect(text()).toContain("kubelet_sleep_action_terminated_early_total 0\n");
  const cut = run({ sleep: { seconds: 5 } });
  end.abort();
  await expect(cut).rejects.toThrow("container terminated before sleep hook finished");
  expect(text()).toContain("kubelet_sleep_action_terminated_early_total 1\n");
});

test("createHookRunner: requests are sent, connections are not supported", async () => {
  const { run, sent } = runnerWith("endless");
  const handler = { httpGet: { path: "/", port: 80 } } as LifecycleHandler;
  await run(handler);
  expect(sent).toEqual([handler]);
  await expect(run({ tcpSocket: { port: 80 } })).rejects.toThrow("invalid handler: ");
});
