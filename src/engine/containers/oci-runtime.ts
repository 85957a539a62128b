import { existsSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../../cri/runtime-service.ts";
import { type ChildResult, runChild } from "../../platform/run-child.ts";
import { isStartPipeWritten, openStartPipe } from "./open-start-pipe.ts";

/** An OCI runtime: runc, or a program with the same command line. */
export interface OciRuntimeOptions {
  /** The path of the program. */
  readonly program: string;
  /** The folder of its state, which must not survive a reboot. */
  readonly root: string;
  readonly cgroupManager: "cgroupfs" | "systemd";
}

/** The commands of an OCI runtime that the engine uses. */
export class OciRuntime {
  readonly program: string;
  readonly root: string;
  readonly cgroupManager: "cgroupfs" | "systemd";

  constructor({ program, root, cgroupManager }: OciRuntimeOptions) {
    this.program = program;
    this.root = root;
    this.cgroupManager = cgroupManager;
  }

  /** The same with another program; their containers have distinct IDs. Itself without one. */
  of(program: string | undefined): OciRuntime {
    const { root, cgroupManager } = this;
    return program === undefined ? this : new OciRuntime({ program, root, cgroupManager });
  }

  /** The flags that come before every command. */
  get flags(): readonly string[] {
    const systemd = this.cgroupManager === "systemd" ? ["--systemd-cgroup"] : [];
    return [`--root=${this.root}`, ...systemd];
  }

  /** Whether the process of a container was let run; undefined if the runtime knows nothing of the container. */
  isLetRun(id: string): boolean | undefined {
    const folder = join(this.root, id);
    // The pipe is removed once the process runs.
    return isStartPipeWritten(join(folder, startPipe)) ?? (existsSync(folder) || undefined);
  }

  /** Runs the process of a container that conmon has created; `isWaiting` tells whether it is still there. */
  async start(id: string, isWaiting: () => boolean): Promise<void> {
    if (!(await openStartPipe(join(this.root, id, startPipe), isWaiting)))
      await this.#must(["start", id]);
  }

  /** Deletes what the runtime knows of a container, and kills what is left of it. */
  async delete(id: string): Promise<void> {
    await this.#run(["delete", "--force", id]);
  }

  async pause(id: string): Promise<void> {
    await this.#must(["pause", id]);
  }

  /** Lets a container run on; one that is not paused is not an error. */
  async resume(id: string): Promise<void> {
    const { code, stderr } = await this.#run(["resume", id]);
    const message = runtimeMessage(stderr) || `exit code ${code}`;
    if (code !== 0 && !/not paused/.test(message)) throw new RuntimeError("Unknown", message);
  }

  /** Changes limits; the argument is the `resources` of an OCI configuration. */
  async update(id: string, resources: object): Promise<void> {
    await this.#must(["update", "--resources", "-", id], JSON.stringify(resources));
  }

  async #must(args: readonly string[], input?: string): Promise<void> {
    const { code, stderr } = await this.#run(args, input);
    if (code !== 0)
      throw new RuntimeError("Unknown", runtimeMessage(stderr) || `exit code ${code}`);
  }

  #run(args: readonly string[], input?: string): Promise<ChildResult> {
    return runChild(this.program, [...this.flags, ...args], { input });
  }
}

/** The pipe at which runc's process waits to be started. */
const startPipe = "exec.fifo";

/** The message of an OCI runtime's error output, which is logfmt, JSON or text: its last line with one. */
export function runtimeMessage(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((one) => /level="?(?:error|fatal)/.test(one)) ?? lines.at(-1) ?? "";
  const quoted = /msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  if (quoted !== undefined) return unquote(quoted);
  return line.replace(/^time=\S+ level=\w+ msg=/, "").trim();
}

/** Reverses Go's quoting. */
const unquote = (text: string): string =>
  text.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
