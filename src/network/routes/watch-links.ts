import { spawn } from "node:child_process";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { boundToParent } from "../../platform/bound-to-parent.ts";
import { spawned } from "../../platform/spawned.ts";

export interface WatchLinksOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when interfaces or addresses of this node have changed: the kernel drops routes with them. */
  readonly changed: () => void;
}

/** Watches the interfaces of this node, until it is closed. */
export function watchLinks({ clock, log, changed }: WatchLinksOptions): { close(): void } {
  let isClosed = false;
  let timer: Timer | undefined;
  // Changes come in groups.
  const soon = (): void => {
    timer?.cancel();
    timer = clock.setTimer(gatherMs, changed);
  };
  const child = spawned(
    spawn("sh", boundToParent("ip", ["-oneline", "monitor", "link", "address"]), {
      stdio: ["ignore", "pipe", "ignore"],
    }),
    "ip",
  );
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (text.split("\n").some(matters)) soon();
  });
  child.on("error", (error) =>
    log.warn("changes of interfaces are not noticed", { error: error.message }),
  );
  child.on("close", () => {
    if (!isClosed) log.warn("changes of interfaces are no longer noticed");
  });
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      child.kill("SIGKILL");
    },
  };
}

const gatherMs = 500;

/** The interfaces of pods come and go all the time. */
export const matters = (line: string): boolean =>
  line !== "" && !/(?:^|[\s:])(?:veth|ifb)[0-9a-f]{8,}/.test(line);
