import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { realClock } from "../../platform/real-clock.ts";
import { endContainers, handlesSigterm } from "./end-containers.ts";

test.each([
  ["SigCgt:\t0000000000004000\n", true],
  ["Name:\tsh\nSigBlk:\t0000000000004000\nSigCgt:\t0000000000000002\n", false],
  ["SigCgt:\tffffffffffffffff\n", true],
  ["", false],
])("handlesSigterm: %j", (status, handles) => {
  expect(handlesSigterm(status)).toBe(handles);
});

/** A process that has begun. */
async function start(script: string) {
  const child = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output: string[] = [];
  child.stdout.on("data", (data: Buffer) => output.push(`${data}`));
  await once(child.stdout, "data");
  return { pid: child.pid ?? 0, output, child };
}

/** Cgroups of pods with one container each. */
const cgroupsOf = (containers: Readonly<Record<string, readonly number[]>>) => {
  const folders = new Map<string, readonly string[]>([
    ["/box", ["kubepods"]],
    ["/box/kubepods", ["burstable", "pod-a"]],
    ["/box/kubepods/burstable", ["pod-b"]],
    ["/box/kubepods/pod-a", ["a"]],
    ["/box/kubepods/burstable/pod-b", ["b"]],
  ]);
  return {
    children: async (path: string) => folders.get(path) ?? [],
    pids: async (path: string) => containers[path.split("/").at(-1) ?? ""] ?? [],
  };
};

const options = { clock: realClock, patienceMs: 20_000 };

test("endContainers: containers that handle the signal end, the others are not waited for", async () => {
  const polite = await start(
    "trap 'echo bye; exit 0' TERM; echo ready; while read -r x; do :; done",
  );
  const deaf = await start("echo ready; read -r x");
  const ended = once(polite.child, "close");
  await endContainers("/box", {
    ...{ ...options, cgroups: cgroupsOf({ a: [polite.pid], b: [deaf.pid] }) },
  });
  await ended;
  expect(polite.output.join("")).toBe("ready\nbye\n");
  expect([deaf.child.exitCode, deaf.child.signalCode]).toEqual([null, null]);
});

test("endContainers: only the first process of a container gets the signal", async () => {
  const trap = "trap 'echo bye; exit 0' TERM; echo ready; while read -r x; do :; done";
  const first = await start(trap);
  const second = await start(trap);
  const ended = once(first.child, "close");
  await endContainers("/box", {
    ...{ ...options, cgroups: cgroupsOf({ a: [second.pid, first.pid] }) },
  });
  await ended;
  expect(first.output.join("")).toBe("ready\nbye\n");
  expect(second.output.join("")).toBe("ready\n");
});

test("endContainers: one that does not end is waited for only so long", async () => {
  const stubborn = await start("trap 'echo no' TERM; echo ready; while :; do read -r x; done");
  const began = realClock.now();
  await endContainers("/box", {
    ...{ ...options, patienceMs: 200, cgroups: cgroupsOf({ a: [stubborn.pid] }) },
  });
  expect(realClock.now() - began).toBeGreaterThanOrEqual(200);
  expect(stubborn.child.exitCode).toBeNull();
});
