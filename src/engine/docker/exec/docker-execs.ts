import { randomBytes } from "node:crypto";
import { notFound } from "../http/docker-error.ts";
import type { ExecConfig } from "./exec-config.ts";
import { SizeQueue } from "./size-queue.ts";

/** A command that runs, or is to run, in a container. */
export interface DockerExec {
  readonly id: string;
  readonly containerId: string;
  readonly config: ExecConfig;
  readonly sizes: SizeQueue;
  state: "created" | "running" | "ended";
  pid: number;
  exitCode: number | null;
}

/** The commands of containers. They are not recorded: a new engine does not know those of the old one. */
export class DockerExecs {
  readonly #execs = new Map<string, DockerExec>();

  create(containerId: string, config: ExecConfig): DockerExec {
    const id = randomBytes(32).toString("hex");
    const sizes = new SizeQueue();
    const state = { state: "created", pid: 0, exitCode: null } as const;
    const exec: DockerExec = { id, containerId, config, sizes, ...state };
    this.#forgetOldest();
    this.#execs.set(id, exec);
    return exec;
  }

  find(id: string): DockerExec {
    const exec = this.#execs.get(id);
    if (!exec) throw notFound(`No such exec instance: ${id}`);
    return exec;
  }

  /** The commands that run in a container; null if there are none. */
  idsOf(containerId: string): readonly string[] | null {
    const ids = [...this.#execs.values()]
      .filter((exec) => exec.containerId === containerId && exec.state !== "ended")
      .map(({ id }) => id);
    return ids.length > 0 ? ids : null;
  }

  forgetContainer(containerId: string): void {
    for (const [id, exec] of this.#execs)
      if (exec.containerId === containerId) this.#execs.delete(id);
  }

  #forgetOldest(): void {
    if (this.#execs.size < mostExecs) return;
    for (const [id, { state }] of this.#execs)
      if (state !== "running") {
        this.#execs.delete(id);
        return;
      }
  }
}

const mostExecs = 4096;
