import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { killProcesses, processesWith } from "../kill-processes.ts";
import { ExecFiles, execPrefix } from "./exec.ts";

/** Ends the commands that an engine ran in containers when it was killed, and removes their files. */
export async function endInterruptedExecs(runFolder: string): Promise<void> {
  const names = (await readdir(runFolder)).filter((name) => name.startsWith(execPrefix));
  const paths = new Set(names.map((name) => join(runFolder, name.replace(/\.[^.]*$/, ""))));
  await Promise.all([...paths].map((path) => endExec(new ExecFiles(path))));
}

async function endExec(files: ExecFiles): Promise<void> {
  const runtimes = await processesWith("cmdline", files.process);
  const pid = files.startedPid();
  // Another process may have the pid by now: the parent of the command is the OCI runtime.
  if (pid !== undefined && runtimes.includes(await parentOf(pid))) files.kill();
  await killProcesses(() => processesWith("cmdline", files.process));
  await files.remove();
}

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1]);
}
