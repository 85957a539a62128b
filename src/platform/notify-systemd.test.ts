import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { notifyReady } from "./notify-systemd.ts";

test("notifyReady: systemd gets a message if it waits for one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "notify-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sent = join(folder, "sent");
  const program = join(folder, "systemd-notify");
  await writeFile(program, `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${sent}\n`);
  await chmod(program, 0o755);
  await notifyReady({}, program);
  await expect(readFile(sent)).rejects.toThrow("ENOENT");
  await notifyReady({ ...process.env, NOTIFY_SOCKET: "/run/systemd/notify" }, program);
  expect(await readFile(sent, "utf8")).toBe("/run/systemd/notify --ready\n");
  await notifyReady({ NOTIFY_SOCKET: "/run/systemd/notify" }, join(folder, "missing"));
});
