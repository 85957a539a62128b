import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replacePrivateFile } from "../../../platform/files.ts";
import type { ShutdownTimes } from "../../shutdown/shutdown-manager.ts";

/** The times of the last shutdown of a node, in a file of upstream's format. */
export interface ShutdownState {
  load(): Promise<ShutdownTimes | undefined>;
  save(times: ShutdownTimes): Promise<void>;
}

/** The state below the root directory of a kubelet. */
export function shutdownState(rootDir: string): ShutdownState {
  const path = join(rootDir, "graceful_node_shutdown_state");
  return {
    async load() {
      const text = await readFile(path, "utf8").catch(() => "{}");
      const { startTime, endTime } = parsed(text);
      const startedAt = Date.parse(startTime ?? "");
      if (!(startedAt > 0)) return undefined;
      const endedAt = Date.parse(endTime ?? "");
      return { startedAt, endedAt: endedAt > 0 ? endedAt : undefined };
    },
    async save({ startedAt, endedAt }) {
      const startTime = new Date(startedAt).toISOString();
      const endTime = endedAt === undefined ? noTime : new Date(endedAt).toISOString();
      await replacePrivateFile(path, JSON.stringify({ startTime, endTime }));
    },
  };
}

/** Go's word for no time. */
const noTime = "0001-01-01T00:00:00Z";

/** The file may have been damaged by the end of the machine. */
function parsed(text: string): { readonly startTime?: string; readonly endTime?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
