import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { open } from "../../bench/apiserver/apiserver-client.ts";
import type { LogBatch, Version, WriteOutcome } from "../../src/store/linearizability/history.ts";
import type {
  HistorySource,
  SourceWatchOptions,
} from "../../src/store/linearizability/record-sources.ts";

export interface ServerAccess {
  /** Another after the server was started again. */
  port: number;
  /** Where its certificates are. */
  readonly pki: string;
}

/** A server of the API, whose ConfigMaps of a namespace are the keys. */
export function httpSource(access: ServerAccess, namespace: string): HistorySource {
  const connection = new Connection(access);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return {
    get: async (name) => {
      const answer = await connection.ask("GET", `${path}/${name}`);
      if (answer.status === 404) return undefined;
      return toVersion(expectStatus(answer, 200));
    },
    list: async () => {
      const { items = [], metadata } = expectStatus(await connection.ask("GET", path), 200);
      const found = new Map(items.map((item) => [item.metadata.name, toVersion(item)]));
      return { found, revision: Number(metadata.resourceVersion) };
    },
    write: async ({ key, value, ifRevision }) => {
      const resourceVersion = String(ifRevision);
      const metadata = { name: key, ...(ifRevision !== 0 && { resourceVersion }) };
      const object = { kind: "ConfigMap", apiVersion: "v1", metadata, data: { value } };
      const options = {
        kind: "DeleteOptions",
        apiVersion: "v1",
        preconditions: { resourceVersion },
      };
      try {
        if (value === undefined)
          return outcomeOf(await connection.ask("DELETE", `${path}/${key}`, options));
        if (ifRevision === 0) return outcomeOf(await connection.ask("POST", path, object));
        return outcomeOf(await connection.ask("PUT", `${path}/${key}`, object));
      } catch (error) {
        if (error instanceof NotSent) throw error;
        return { type: "unknown" };
      }
    },
    watch: (options) => watch(connection, path, options),
  };
}

/** What the tests look at of an answer. */
interface Body {
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: { readonly value: string };
  readonly items?: readonly Body[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Whatever is not said to be refused may have happened, or happen yet. */
function outcomeOf({ status, text }: Answer): WriteOutcome {
  if (status === 409) return { type: "refused" };
  if (status === 404) return { type: "refused", current: "absent" };
  if (status !== 200 && status !== 201) return { type: "unknown" };
  const { kind, metadata } = JSON.parse(text) as Body;
  // A deletion is answered with a Status, which has no revision.
  return kind === "Status"
    ? { type: "done" }
    : { type: "done", revision: Number(metadata.resourceVersion) };
}

function expectStatus({ status, text }: Answer, expected: number): Body {
  if (status !== expected) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as Body;
}

function toVersion({ data, metadata }: Body): Version {
  return { value: data?.value ?? "", revision: Number(metadata.resourceVersion) };
}

async function* watch(
  connection: Connection,
  path: string,
  { from, progress, signal }: SourceWatchOptions,
): AsyncGenerator<LogBatch> {
  const query = `watch=1&resourceVersion=${from}&allowWatchBookmarks=${progress}`;
  const headers = { ":path": `${path}?${query}`, accept: "application/json" };
  const stream = await connection.stream(headers).catch(() => undefined);
  if (!stream) return;
  const close = (): void => stream.close(constants.NGHTTP2_CANCEL);
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  stream.end();
  try {
    let text = "";
    for await (const chunk of stream) {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const batch = toBatch(JSON.parse(line) as WatchEvent);
        if (batch === undefined) return;
        yield batch;
      }
    }
  } catch {
    // It was cut off; the next goes on from the last revision.
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

function toBatch({ type, object }: WatchEvent): LogBatch | undefined {
  if (type === "ERROR") return undefined;
  const { value, revision } = toVersion(object);
  if (type === "BOOKMARK") return { revision, changes: [] };
  const key = object.metadata.name;
  return { revision, changes: [{ key, value: type === "DELETED" ? undefined : value }] };
}

const answerMs = 10_000;
const againMs = 100;

/** One connection to a server, made again when it broke. */
class Connection {
  readonly #access: ServerAccess;
  #session: Promise<ClientHttp2Session> | undefined;

  constructor(access: ServerAccess) {
    this.#access = access;
  }

  async stream(headers: Record<string, string>): Promise<ClientHttp2Stream> {
    this.#session ??= this.#connect();
    const session = await this.#session;
    // Its event "close" comes later.
    if (session.destroyed) this.#session = undefined;
    // Otherwise a DELETE has no body.
    const stream = session.request(headers, { endStream: false });
    stream.setEncoding("utf8");
    return stream;
  }

  /** Rejects with NotSent where the server cannot have heard of it. */
  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const headers = {
      ":method": method,
      ":path": path,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
    };
    const stream = await this.stream(headers).catch((cause: unknown) => {
      throw new NotSent("there is no server", { cause });
    });
    return await answerOf(stream, body);
  }

  #connect(): Promise<ClientHttp2Session> {
    const session = open(this.#access.port, this.#access.pki);
    session.unref();
    session.on("close", () => {
      this.#session = undefined;
    });
    return new Promise((resolve, reject) => {
      session.on("connect", () => resolve(session));
      session.on("error", (error) => setTimeout(() => reject(error), againMs));
    });
  }
}

class NotSent extends Error {}

function answerOf(stream: ClientHttp2Stream, body: object | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = "";
    let isWhole = false;
    stream.setTimeout(answerMs, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on("response", (headers) => {
      status = Number(headers[":status"]);
    });
    stream.on("data", (chunk: string) => {
      text += chunk;
    });
    stream.on("end", () => {
      isWhole = true;
    });
    stream.on("error", reject);
    stream.on("close", () => {
      if (isWhole && status > 0) resolve({ status, text });
      else reject(new Error("it was cut off"));
    });
    stream.end(body && JSON.stringify(body));
  });
}
