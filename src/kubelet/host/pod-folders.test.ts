import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ContainerStatus } from "../../cri/runtime-types.ts";
import { readTerminationMessage } from "./pod-folders.ts";

test("readTerminationMessage: the last 4096 bytes of the file that the container has mounted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-message-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hostPath = join(folder, "message");
  const containerPath = "/dev/termination-log";
  const annotations = { "io.kubernetes.container.terminationMessagePath": containerPath };
  const ended = {
    annotations,
    mounts: [{ containerPath, hostPath }],
  } as unknown as ContainerStatus;
  expect(await readTerminationMessage(ended)).toBe("");
  writeFileSync(hostPath, "short");
  expect(await readTerminationMessage(ended)).toBe("short");
  writeFileSync(hostPath, `begin${"x".repeat(4095)}!`);
  expect(await readTerminationMessage(ended)).toBe(`${"x".repeat(4095)}!`);
  expect(await readTerminationMessage({ ...ended, mounts: [] })).toBeUndefined();
});
