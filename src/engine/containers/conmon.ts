import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { RuntimeError } from "../../cri/runtime-service.ts";
import { spawned } from "../../platform/spawned.ts";
import { type OciRuntime, runtimeMessage } from "./oci-runtime.ts";

/** What conmon needs to know of a container. */
export interface ConmonContainer {
  readonly id: string;
  /** The folder of its OCI configuration, in which conmon makes its sockets and pipes. */
  readonly bundle: string;
  /** The folder in which conmon leaves its pid, that of the container, and how it ended. */
  readonly folder: string;
  readonly exitFolder: string;
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
}

/** The files that conmon writes in the folder of a container. */
export const conmonFiles = {
  containerPid: "pid",
  monitorPid: "conmon-pid",
  exit: "exit",
  oom: "oom",
} as const;

/** The arguments of conmon for a new container. */
export function conmonArguments(runtime: OciRuntime, container: ConmonContainer): string[] {
  const { id, bundle, folder, exitFolder, logPath, stdin, stdinOnce, tty } = container;
  return [
    ...["--api-version", "1", "-c", id, "-u", id, "-n", id],
    ...["-r", runtime.program, ...runtime.flags.flatMap((flag) => ["--runtime-arg", flag])],
    ...["-b", bundle, "-p", `${folder}/${conmonFiles.containerPid}`],
    ...["-P", `${folder}/${conmonFiles.monitorPid}`, "-l", `k8s-file:${logPath}`],
    ...["--exit-dir", exitFolder, "--persist-dir", folder, "--full-attach", "--no-sync-log"],
    ...(runtime.cgroupManager === "systemd" ? ["-s"] : []),
    ...(stdin ? ["-i"] : []),
    ...(stdin && !stdinOnce ? ["--leave-stdin-open"] : []),
    ...(tty ? ["-t"] : []),
  ];
}

/**
 * Has conmon create a container; resolves with the pid of its first process, which waits to be started. conmon
 * leaves this process's session, and outlives it.
 */
export function createContainer(
  program: string,
  runtime: OciRuntime,
  container: ConmonContainer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawned(
      spawn(program, conmonArguments(runtime, container), {
        stdio: ["ignore", "ignore", "pipe", "pipe"],
        // conmon also notes that memory ran out in a file of its working directory.
        cwd: container.folder,
        env: { PATH: process.env.PATH, _OCI_SYNCPIPE: "3" },
      }),
      program,
    );
    child.on("error", (cause) => reject(new Error(`cannot run ${program}`, { cause })));
    let report = "";
    let errors = "";
    child.stderr?.on("data", (bytes: Buffer) => {
      if (errors.length < longest) errors += bytes;
    });
    const sync = child.stdio[3] as Readable;
    sync.on("error", reject);
    sync.on("data", (bytes: Buffer) => {
      report += bytes;
      // conmon does not close the pipe before the container ends.
      if (report.includes("\n")) sync.destroy();
    });
    sync.on("close", () => {
      const { pid, message } = conmonReport(report);
      if (pid !== undefined) resolve(pid);
      else reject(new RuntimeError("Unknown", message || errors.trim() || "conmon ended early"));
    });
  });
}

const longest = 1 << 16;

/** What conmon says of a creation: `{"data": PID}`, or -1 and a message. */
export function conmonReport(text: string): {
  readonly pid?: number;
  readonly message: string;
} {
  try {
    const { data, message = "" } = JSON.parse(text) as { data: number; message?: string };
    return data > 0 ? { pid: data, message: "" } : { message: runtimeMessage(message) };
  } catch {
    return { message: text.trim() };
  }
}
