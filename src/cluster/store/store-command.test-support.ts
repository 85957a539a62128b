import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { command } from "../../cli/command.ts";
import { runProgram } from "../../cli/run-program.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import type { Op, PutOp } from "../../store/store.ts";
import { ObjectReader } from "../commands/decode/decode-objects.ts";
import { stampDataDirectory } from "../opening/data-version.ts";
import { storeCommand } from "./store-command.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  /** The width of the terminal; absent if the output is not a terminal. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Called with everything that was printed so far. */
  readonly onOutput?: (text: string) => void;
}

/** Runs `wherry store` with arguments. */
export async function runStore(args: readonly string[], running: Running = {}): Promise<Outcome> {
  const { columns, signal = new AbortController().signal, onOutput } = running;
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written) => ({
    columns,
    write(text: string): void {
      written[name] += text;
      if (name === "stdout") onOutput?.(written.stdout);
    },
  });
  const code = await runProgram(
    {
      root: command({ name: "wherry", short: "", commands: [storeCommand] }),
      version: "",
      streams: { stdout: output("stdout"), stderr: output("stderr") },
      signal,
    },
    ["store", ...args],
  );
  return { code, ...written };
}

/** Serves a data directory with `wherry store serve` until the test ends or it is stopped. */
export async function serveStore(dir: string, ...args: readonly string[]) {
  const ending = new AbortController();
  let serving: Promise<Outcome> | undefined;
  const printed = await new Promise<string>((resolve, reject) => {
    serving = runStore(["serve", "--data-dir", dir, "--listen", "127.0.0.1:0", ...args], {
      signal: ending.signal,
      onOutput: resolve,
    });
    serving.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  const stop = async (): Promise<Outcome | undefined> => {
    ending.abort();
    return serving;
  };
  onTestFinished(async () => void (await stop()));
  const [, url = ""] = /^ready: (\S+)$/m.exec(printed) ?? [];
  return { printed, url, address: new URL(url).host, stop };
}

/** A folder that is removed after the test. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "wherry-store-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A data directory whose store has these commits: the first is revision 2. */
export async function newDataDirectory(
  commits: readonly (readonly Op[])[],
  compacted?: number,
): Promise<string> {
  const dir = join(newFolder(), "data");
  const store = await openLmdbStore({ path: join(dir, "store"), clock: realClock });
  await stampDataDirectory(dir);
  for (const ops of commits) await store.commit(ops);
  if (compacted !== undefined) await store.compact(compacted);
  await store.close();
  return dir;
}

/** A write of an object in the encoding of the API server. */
export function put(key: string, object: object): PutOp {
  const reader = new ObjectReader("protobuf");
  const fault = reader.read(key, () => new TextEncoder().encode(JSON.stringify(object)));
  if (fault !== undefined) throw new Error(fault);
  const { output, fault: late } = reader.finish();
  if (typeof output === "string") throw new Error(late);
  return { type: "put", key, value: output };
}

/** A write of text. */
export const putText = (key: string, text: string): PutOp => ({
  type: "put",
  key,
  value: new TextEncoder().encode(text),
});

/** A config map with a manager and a time in its managedFields. */
export const configMap = (
  data: Readonly<Record<string, string>>,
  { manager = "kubectl-create", time = "2026-01-01T00:00:00Z" } = {},
): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "m",
    namespace: "default",
    creationTimestamp: "2026-01-01T00:00:00Z",
    managedFields: [
      {
        manager,
        operation: "Update",
        apiVersion: "v1",
        time,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:data": Object.fromEntries(Object.keys(data).map((name) => [`f:${name}`, {}])),
        },
      },
    ],
  },
  data,
});

/** A secret with a password, as kubectl apply leaves it. */
export const secret = (password: string): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "s",
    namespace: "default",
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": `{"stringData":{"password":"${password}"}}`,
      note: "mine",
    },
  },
  data: { password: Buffer.from(password).toString("base64") },
  type: "Opaque",
});
