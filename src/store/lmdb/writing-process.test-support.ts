import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { runScript } from "../../../test/project.ts";
import { realClock } from "../../platform/real-clock.ts";
import { StoreError } from "../store.ts";
import { type LmdbStore, openLmdbStore } from "./lmdb-store.ts";

/** A request to a writing process; it responds with its revision or an error. */
export type Request =
  | {
      readonly type: "put";
      readonly key: string;
      readonly value: string;
      /** The number of commits. Default: 1. */
      readonly times?: number;
      /** The number of keys in each, with a number appended. Default: just the key. */
      readonly keys?: number;
    }
  | { readonly type: "compact"; readonly revision: number }
  | { readonly type: "close" };

export interface WritingProcess {
  readonly pid: number;
  /** The result of opening the store: "open", or the error. */
  readonly opened: string;
  ask(request: Request): Promise<number | string>;
  kill(): Promise<void>;
}

export interface WritingProcessOptions {
  /** The user that it runs as. */
  readonly uid?: number;
  readonly shrinkAtLeast?: number;
}

/** Starts a process that opens a store and handles requests. */
export async function startWritingProcess(
  path: string,
  options: WritingProcessOptions = {},
): Promise<WritingProcess> {
  const program = join(import.meta.dirname, "writing-process.test-support.ts");
  const child = fork(runScript, [program, path, JSON.stringify(options)]);
  const opened = (await answer(child)) as string;
  return {
    pid: child.pid ?? 0,
    opened,
    ask: async (request) => {
      child.send(request);
      return await answer(child);
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

async function answer(child: ChildProcess): Promise<number | string> {
  const [message] = (await once(child, "message")) as [number | string];
  return message;
}

async function serve(path: string, { uid, ...options }: WritingProcessOptions): Promise<void> {
  let store: LmdbStore;
  try {
    if (uid !== undefined) process.setuid?.(uid);
    store = await openLmdbStore({ path, clock: realClock, ...options });
  } catch (error) {
    process.send?.(describe(error));
    process.disconnect();
    return;
  }
  process.on("message", (request: Request) => {
    perform(store, request).then(
      (revision) => process.send?.(revision),
      (error: unknown) => process.send?.(describe(error)),
    );
  });
  process.send?.("open");
}

async function perform(store: LmdbStore, request: Request): Promise<number> {
  const revision = await store.currentRevision();
  if (request.type === "close") {
    await store.close();
    setImmediate(() => process.disconnect());
    return revision;
  }
  if (request.type === "compact") {
    await store.compact(request.revision);
    return revision;
  }
  const value = new TextEncoder().encode(request.value);
  const { key, times = 1, keys } = request;
  const each = keys === undefined ? [key] : Array.from({ length: keys }, (_, n) => `${key}/${n}`);
  const ops = each.map((name) => ({ type: "put", key: name, value }) as const);
  for (let n = 0; n < times; n++) await store.commit(ops);
  return await store.currentRevision();
}

function describe(error: unknown): string {
  return error instanceof StoreError ? `${error.code}: ${error.message}` : String(error);
}

// Only in the child process, not where this file is imported.
if (process.send && process.argv[1]?.includes("writing-process.test-support")) {
  const [path = "", options = "{}"] = process.argv.slice(2);
  await serve(path, JSON.parse(options) as WritingProcessOptions);
}
