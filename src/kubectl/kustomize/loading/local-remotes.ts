import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { KustomizeError, TimeoutError } from "../kustomize-error.ts";
import type { KustomizeRemotes } from "./kustomize-files.ts";
import type { RepoSpec } from "./repo-spec.ts";

/** Repositories by the program `git`, files by HTTP. */
export const localRemotes: KustomizeRemotes = {
  clone: async (spec) => {
    const git = findGit();
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "kustomize-")));
    try {
      for (const args of cloneSteps(spec)) {
        await run(git, args, { directory, timeoutMs: spec.timeoutMs });
      }
      return directory;
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  },
  remove: (directory) => rm(directory, { recursive: true, force: true }),
  get: async (url) => {
    try {
      const response = await fetch(url);
      return { status: response.status, content: new Uint8Array(await response.arrayBuffer()) };
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      const reason = cause instanceof Error ? cause.message : String(error);
      throw new KustomizeError(`Get ${JSON.stringify(url)}: ${reason}`, { cause: error });
    }
  },
};

function cloneSteps({ host, repoPath, ref, submodules }: RepoSpec): string[][] {
  const source = host + repoPath;
  const steps = [
    ["init"],
    ["remote", "add", "origin", source],
    ["fetch", "--depth=1", source, ref || "HEAD"],
    ["checkout", "FETCH_HEAD"],
  ];
  if (submodules) steps.push(["submodule", "update", "--init", "--recursive"]);
  return steps;
}

function findGit(): string {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, "git");
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  throw new KustomizeError(
    `no 'git' program on path: exec: "git": executable file not found in $PATH`,
  );
}

function run(
  program: string,
  args: readonly string[],
  { directory, timeoutMs }: { directory: string; timeoutMs: number },
): Promise<void> {
  const command = [program, ...args].join(" ");
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: directory, timeout: timeoutMs });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) return resolve();
      if (signal === "SIGTERM") {
        return reject(new TimeoutError(`hit ${timeoutMs / 1000}s timeout running '${command}'`));
      }
      const said = Buffer.concat(output).toString();
      reject(new KustomizeError(`failed to run '${command}': ${said}: exit status ${code}`));
    });
  });
}
