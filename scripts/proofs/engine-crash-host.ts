import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { noLog } from "../../src/base/log.ts";
import { noNetwork } from "../../src/cri/pod-network.ts";
import type { RuntimeService } from "../../src/cri/runtime-service.ts";
import { EngineRuntime } from "../../src/engine/cri/engine-runtime.ts";
import { openEngine } from "../../src/engine/engine.ts";
import { busyboxImage, ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { realClock } from "../../src/platform/real-clock.ts";

export const crashImage = "registry.test/bb:1";

interface Call {
  readonly number: number;
  readonly method: keyof RuntimeService;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Runs an engine in this process and serves its calls to the parent process, until it is killed. */
export async function hostEngine(root: string): Promise<void> {
  const engine = await openEngine({
    ...{ dataDir: join(root, "data"), runDir: join(root, "run"), network: noNetwork },
    ...{ clock: realClock, log: noLog },
  });
  if (!engine.images.store.resolve(crashImage))
    await engine.images.load(ociArchive(busyboxImage(), crashImage));
  const runtime = new EngineRuntime({ ...engine, clock: realClock, version: "crash" });
  process.on("message", ({ number, method, args }: Call) => {
    const call = runtime[method].bind(runtime) as (...all: unknown[]) => Promise<unknown>;
    call(...args).then(
      (result) => process.send?.({ number, result } satisfies Answer),
      (error: Error) => process.send?.({ number, error: error.message } satisfies Answer),
    );
  });
  // It has the output of the parent process, which would not end for its readers.
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
}

/** A call whose engine was killed: it is not known whether it was carried out. */
export class EngineKilled extends Error {
  override readonly name = "EngineKilled";
}

/** An engine in a process that is killed and started again. */
export class KillableEngine {
  readonly #root: string;
  #child: ChildProcess | undefined;
  #ready: Promise<void> = Promise.resolve();
  /** Why an engine ended that was not killed. */
  #fault: string | undefined;
  #last = 0;
  readonly #waiting = new Map<number, (answer: Answer | "killed") => void>();
  readonly #open = new Map<number, string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Starts the engine; resolves when it has taken over its containers. */
  start(): Promise<void> {
    const child = fork(process.argv[1] ?? "", ["host", this.#root], {
      serialization: "advanced",
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#child = child;
    const errors: string[] = [];
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on("line", (line) =>
      errors.push(line),
    );
    this.#ready = new Promise((resolve, reject) => {
      child.on("message", (message: Answer | "ready") => {
        if (message === "ready") resolve();
        else this.#waiting.get(message.number)?.(message);
      });
      child.on("exit", (_, signal) => {
        if (signal !== "SIGKILL") this.#fault = `the engine ended: ${errors.join("\n")}`;
        reject(this.#ended());
        for (const settle of this.#waiting.values()) settle("killed");
      });
    });
    this.#ready.catch(() => {});
    return this.#ready;
  }

  kill(): Promise<void> {
    const child = this.#child;
    return new Promise((resolve) => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once("exit", () => resolve());
      child.kill("SIGKILL");
    });
  }

  /** Calls a method of the runtime; rejects with `EngineKilled` if it was killed meanwhile. */
  async call<M extends keyof RuntimeService>(
    method: M,
    ...args: Parameters<RuntimeService[M]>
  ): Promise<Awaited<ReturnType<RuntimeService[M]>>> {
    await this.#ready;
    const child = this.#child;
    const number = ++this.#last;
    this.#open.set(number, `${method} ${JSON.stringify(args)}`);
    const answer = await new Promise<Answer | "killed">((resolve) => {
      this.#waiting.set(number, resolve);
      if (!child?.connected) return resolve("killed");
      child.send({ number, method, args } satisfies Call, (error) => {
        if (error) resolve("killed");
      });
    });
    this.#waiting.delete(number);
    this.#open.delete(number);
    if (answer === "killed") throw this.#ended();
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error}`);
    return answer.result as Awaited<ReturnType<RuntimeService[M]>>;
  }

  /** An engine that ends by itself is a fault, which no call may take for a kill. */
  #ended(): Error {
    return this.#fault === undefined
      ? new EngineKilled("the engine was killed")
      : new Error(this.#fault);
  }

  /** The calls that have no answer yet. */
  get openCalls(): readonly string[] {
    return [...this.#open.values()];
  }
}
