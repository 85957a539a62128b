import { readdir, readFile } from "node:fs/promises";

/** Kills processes until none is found. */
export async function killProcesses(find: () => Promise<readonly number[]>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const pids = await find();
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, round));
  }
}

/** Enough for about ten seconds: a process in the kernel may take a while to end. */
const rounds = 150;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** The processes that have an argument or a variable `NAME=VALUE`, zombies not included. */
export async function processesWith(
  where: "cmdline" | "environ",
  text: string,
): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/${where}`, "utf8").catch(() => "")),
  );
  return pids.filter((_, i) => lines[i]?.split("\0").includes(text)).map(Number);
}
