import { spawn } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import { errorMessage } from "../../base/error-message.ts";
import { runChild } from "../../platform/run-child.ts";
import { httpError, type KubeletRequest, type KubeletResponse } from "../api/kubelet-request.ts";
import {
  hasOptions,
  type NodeLogQuery,
  parseNodeLogQuery,
  refuseNodeLogQuery,
} from "../api/node-log-query.ts";
import { openBelow, systemLogs } from "./system-logs.ts";

export interface ServiceLogsOptions {
  /** The folder of log files. */
  readonly folder?: string | undefined;
  /** The program that shows the journal. */
  readonly journalctl?: string | undefined;
}

type SystemLogs = (path: string, request: KubeletRequest) => Promise<KubeletResponse>;

/** Serves the log files of a machine, and with `?query=` the logs of its services: from the journal, or from files. */
export function serviceLogs(options: ServiceLogsOptions = {}): SystemLogs {
  const { folder = "/var/log", journalctl = "journalctl" } = options;
  const files = systemLogs(folder);
  return async (path, request) => {
    const query = parseNodeLogQuery(request.query);
    if (query === undefined) return files(path, request);
    if ("status" in query) return query;
    if (path !== "" && path !== "/") return httpError(406, "path not allowed in query mode");
    const refusal = refuseNodeLogQuery(query) ?? (await missingFile(folder, query));
    if (refusal) return refusal;
    const [file] = query.files;
    if (file !== undefined) return files(file.replaceAll("\\", "/"), { path: request.path });
    const isZipped = request.headers["accept-encoding"] === "gzip";
    const text = logsOf(query, { folder, journalctl });
    return {
      status: 200,
      headers: {
        "content-type": "text/plain;charset=UTF-8",
        ...(isZipped && { "content-encoding": "gzip" }),
      },
      body: isZipped ? zipped(text) : text,
    };
  };
}

async function missingFile(
  folder: string,
  { files: [file] }: NodeLogQuery,
): Promise<KubeletResponse | undefined> {
  if (file === undefined) return undefined;
  const path = file.replaceAll("\\", "/");
  const refused = (why: string): KubeletResponse =>
    httpError(406, `query: Invalid value: ["${file}"]: statat ${path}: ${why}`);
  try {
    const found = await realpath(join(folder, path));
    const root = await realpath(folder);
    if (path.startsWith("/") || !found.startsWith(`${root}/`))
      return refused("path escapes from parent");
    await stat(found);
    return undefined;
  } catch {
    return refused("no such file or directory");
  }
}

interface Places {
  readonly folder: string;
  readonly journalctl: string;
}

async function* logsOf(query: NodeLogQuery, places: Places): AsyncGenerator<Uint8Array> {
  const signal = AbortSignal.timeout(deadlineMs);
  const units = await journalUnits(places.journalctl);
  const isInJournal = (service: string): boolean => units.includes(`${service}.service`);
  const native = query.services.filter(isInJournal);
  const others = query.services.filter((service) => !isInJournal(service));
  if (native.length > 0) yield* journalOf(query, native, { ...places, signal });
  if (others.length === 0) return;
  if (hasOptions(query)) {
    yield encoder.encode(
      `\noptions present and query resolved to log files for [${others.join(" ")}]\ntry without specifying options\n`,
    );
    return;
  }
  for (const service of others) yield* fileOf(service, places);
}

/** The units that the journal has; none without a journal. */
async function journalUnits(journalctl: string): Promise<readonly string[]> {
  const listed = await runChild(journalctl, ["--field", "_SYSTEMD_UNIT"]).catch(() => undefined);
  return listed?.code === 0 ? listed.stdout.split("\n") : [];
}

/** The arguments of journalctl for a query. */
export function journalArguments(query: NodeLogQuery, services: readonly string[]): string[] {
  const { since, until, tailLines, pattern, boot } = query;
  return [
    ...["--utc", "--no-pager", "--output=short-precise"],
    ...(since === undefined ? [] : [`--since=${journalTime(since)}`]),
    ...(until === undefined ? [] : [`--until=${journalTime(until)}`]),
    ...(tailLines === undefined ? [] : ["--pager-end", `--lines=${tailLines}`]),
    ...services.map((service) => `--unit=${service}`),
    ...(pattern === undefined ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : ["--boot", String(boot)]),
  ];
}

/** Without leading zeros, as upstream writes them. */
function journalTime(ms: number): string {
  const at = new Date(ms);
  const date = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()].join("-");
  return `${date} ${[at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].join(":")}`;
}

async function* journalOf(
  query: NodeLogQuery,
  services: readonly string[],
  { journalctl, signal }: Places & { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const child = spawn(journalctl, journalArguments(query, services), {
    ...{ stdio: ["ignore", "pipe", "pipe"], signal, killSignal: "SIGKILL" },
  });
  const output = new PassThrough();
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  let hasFailed = false;
  child.on("error", () => {
    hasFailed = !signal.aborted;
    output.end();
  });
  child.on("close", () => output.end());
  yield* output as AsyncIterable<Uint8Array>;
  if (hasFailed && (query.boot ?? 0) === 0)
    yield encoder.encode("\nerror: journal output not available\n");
}

/** The log file of a service, by the names that it usually has. */
async function* fileOf(service: string, { folder }: Places): AsyncGenerator<Uint8Array> {
  for (const name of [service, `${service}.log`, `${service}/${service}.log`]) {
    try {
      const file = await openBelow(folder, name);
      if (!file) continue;
      if ((await file.stat()).isDirectory()) {
        await file.close();
        continue;
      }
      yield* file.createReadStream() as AsyncIterable<Uint8Array>;
      return;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") continue;
      yield encoder.encode(`\nerror getting log for ${service}: ${errorMessage(error)}\n`);
      return;
    }
  }
  yield encoder.encode(`\nlog not found for ${service}\n`);
}

function zipped(text: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const zip = createGzip({ level: constants.Z_BEST_SPEED });
  const pump = async (): Promise<void> => {
    for await (const bytes of text)
      if (!zip.write(bytes)) await new Promise((go) => zip.once("drain", go));
    zip.end();
  };
  pump().catch((error: Error) => zip.destroy(error));
  return zip as Readable;
}

const encoder = new TextEncoder();
const deadlineMs = 30_000;
