import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../../../platform/run-child.ts";
import { nodeUnit } from "../../join/node-service.ts";

/** Whether systemd runs this machine. */
export const hasSystemd = (): boolean => existsSync("/run/systemd/system");

/** Writes the unit of a node, starts it, and has it start with the machine. Resolves with its path. */
export async function enableService(unit: string): Promise<string> {
  const path = join("/etc/systemd/system", nodeUnit);
  await writeFile(path, unit, { mode: 0o644 });
  await mustRun("systemctl", ["daemon-reload"]);
  await mustRun("systemctl", ["enable", nodeUnit]);
  // It may run already, with an earlier command.
  await mustRun("systemctl", ["restart", nodeUnit]);
  return path;
}

/** Stops the unit of a node, and removes it. */
export async function removeService(): Promise<void> {
  const path = join("/etc/systemd/system", nodeUnit);
  if (!hasSystemd() || !existsSync(path)) return;
  await mustRun("systemctl", ["disable", "--now", nodeUnit]);
  await rm(path, { force: true });
  await mustRun("systemctl", ["daemon-reload"]);
}
