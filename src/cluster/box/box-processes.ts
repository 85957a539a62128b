import { closeSync, openSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replacePrivateFile } from "../../platform/files.ts";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";
import { exitCode, runChild } from "../../platform/run-child.ts";
import type { Box, BoxCommand, BoxProcess } from "./box.ts";
import { boxEnvironment } from "./box-environment.ts";
import type { BoxPaths } from "./box-paths.ts";
import { holdsBox } from "./box-record.ts";
import { startGated } from "./gated-child.ts";

/** Starts and finds the processes of a box. `cgroupFile` takes pids into the cgroup of its own processes. */
export function boxProcesses(
  paths: BoxPaths,
  init: ProcessIdentity,
  cgroupFile: string | undefined,
): Pick<Box, "run" | "spawn" | "find"> {
  const { processes } = paths;
  const enter = (): readonly string[] => {
    if (!holdsBox(init)) throw new Error("the box does not run any more");
    return ["--target", String(init.pid), ...namespaces, "--"];
  };
  const find = (name: string) => findProcess(paths, name);
  return {
    find,
    run: async (program, args) =>
      runChild("nsenter", [...enter(), program, ...args], { env: boxEnvironment(process.env) }),
    async spawn(name, command) {
      const running = await find(name);
      if (running) throw new Error(`${name} is running already (process ${running.pid})`);
      await mkdir(processes, { recursive: true, mode: 0o700 });
      return start(enter(), command, {
        cgroupFile,
        record: (identity) => replacePrivateFile(fileOf(paths, name), JSON.stringify(identity)),
      });
    },
  };
}

/** The process that was started in a box under a name; undefined if it does not run. */
export async function findProcess(
  paths: BoxPaths,
  name: string,
): Promise<ProcessIdentity | undefined> {
  const identity = await readIdentity(fileOf(paths, name));
  return identity && isRunning(identity) ? identity : undefined;
}

const fileOf = ({ processes }: BoxPaths, name: string): string => join(processes, `${name}.json`);

async function readIdentity(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch {
    // None was started, or a power failure left an empty file: then none runs.
    return undefined;
  }
}

const namespaces = ["--mount", "--uts", "--ipc", "--pid", "--net"];

/**
 * Tells the pid that the process has on the machine, whose `/proc` is descriptor 3, and becomes the program when
 * it gets a line. It leaves the cgroup of the process that starts it: a service manager ends all in there.
 */
const becomeProgram = `
read -r pid rest < /proc/self/fd/3/self/stat
echo "$pid"
echo ready
read -r go <&4 || exit 1
[ -z "$0" ] || { echo 0 > "$0"; } 2>/dev/null
exec "$@" </dev/null >&2 3<&- 4<&-
`;

interface Starting {
  readonly cgroupFile: string | undefined;
  record(identity: ProcessIdentity): Promise<void>;
}

async function start(
  enter: readonly string[],
  { program, args, log, env = boxEnvironment(process.env) }: BoxCommand,
  { cgroupFile = "", record }: Starting,
): Promise<BoxProcess> {
  const descriptors: number[] = [];
  const opened = (path: string, flags: string): number => {
    const descriptor = openSync(path, flags, 0o600);
    descriptors.push(descriptor);
    return descriptor;
  };
  try {
    const { child, lines, go, refuse } = await startGated(
      "nsenter",
      [...enter, "sh", "-c", becomeProgram, cgroupFile, program, ...args],
      { cwd: "/", env, errors: opened(log, "a"), extra: opened("/proc", "r") },
    ).catch((cause: unknown) => {
      throw new Error(`cannot start ${program} in the box: see ${log}`, { cause });
    });
    const ended = new Promise<number>((resolve) => {
      child.on("exit", (code, signal) => resolve(exitCode(code, signal)));
    });
    try {
      const identity = identifyProcess(Number(lines[0]));
      if (!identity) throw new Error(`${program} ended before it was started`);
      await record(identity);
      go();
      return { identity, ended };
    } catch (error) {
      refuse();
      throw error;
    }
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}
