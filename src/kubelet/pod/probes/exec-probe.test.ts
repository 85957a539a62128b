import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { RuntimeError } from "../../../cri/runtime-service.ts";
import { execProbe } from "./exec-probe.ts";
import type { ProbeRequest } from "./prober.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const request = (command: readonly string[], env: readonly object[] = []): ProbeRequest =>
  ({
    probe: { exec: { command }, timeoutSeconds: 2 },
    container: { name: "c", env },
    containerId: "id",
  }) as never;

each<[exitCode: number, stdout: string, stderr: string, answer: object]>([
  [0, "fine", "", { result: "success", output: "fine" }],
  [0, "", "odd", { result: "success", output: "odd" }],
  [1, "a\n", "b\n", { result: "failure", output: "a\nb\n" }],
  [3, "x".repeat(20_000), "y", { result: "failure", output: "x".repeat(10_240) }],
])("execProbe: exit code %i", async (exitCode, stdout, stderr, answer) => {
  const runtime = {
    execSync: async () => ({ exitCode, stdout: bytes(stdout), stderr: bytes(stderr) }),
  };
  expect(await execProbe(runtime, request(["check"]))).toEqual(answer);
});

test("execProbe: a timeout is a failure, any other error is no result", async () => {
  const failing = (code: "DeadlineExceeded" | "NotFound", message: string) => ({
    execSync: async () => {
      throw new RuntimeError(code, message);
    },
  });
  expect(await execProbe(failing("DeadlineExceeded", "late"), request(["sleep", "30"]))).toEqual({
    result: "failure",
    output: 'command timed out: "sleep 30" timed out after 2s',
  });
  await expect(
    execProbe(failing("NotFound", "no such container"), request(["x"])),
  ).rejects.toMatchObject({
    state: "unknown",
    message: "rpc error: code = NotFound desc = no such container",
  });
  const prefixed = failing("NotFound", "rpc error: code = NotFound desc = none");
  await expect(execProbe(prefixed, request(["x"]))).rejects.toThrow(/^rpc error: code = NotFound/);
});

test("execProbe: variables with a value are expanded in the command", async () => {
  let command: readonly string[] = [];
  const runtime = {
    async execSync(_: string, words: readonly string[]) {
      command = words;
      return { exitCode: 0, stdout: bytes(""), stderr: bytes("") };
    },
  };
  const env = [
    { name: "A", value: "1" },
    { name: "B", valueFrom: {} },
  ];
  await execProbe(runtime, request(["$(A)", "-$(B)-", "$(C)", "$$(A)"], env));
  expect(command).toEqual(["1", "--", "$(C)", "$(A)"]);
});
