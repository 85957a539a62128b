import type { VirtualClock } from "../../base/virtual-clock.ts";
import type { Store } from "../../store/store.ts";

/** A server with its transport: what the suite needs to know of both. */
export interface Harness {
  readonly store: Store;
  /** The server's time. */
  readonly clock: VirtualClock;
  /** Sends a request, as an administrator unless it says otherwise. */
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}

export interface WireRequest {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly anonymous?: boolean;
}

export interface WireAnswer {
  readonly status: number;
  /** Several headers of one name are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Read only as far as somebody asks; whoever stops asking is done with the answer. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Defines a test that gets a client of a new server. */
export type SuiteTest = (
  title: string,
  run: (api: Api) => Promise<void>,
  /** Changes the store before the server is opened on it. */
  before?: (store: Store) => Promise<void>,
) => void;

/** An object, a list, a Status or a document: the members that tests look at by name. */
export interface Json {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: JsonMeta;
  readonly data: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: unknown;
  readonly items: readonly Json[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: Json }[];
  readonly reason?: string;
  readonly message: string;
}
export interface JsonMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly [name: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text as JSON; empty where it is none. */
  readonly body: Json;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes and strings are sent as they stand, anything else as JSON. */
  readonly body?: unknown;
  readonly anonymous?: boolean;
}

/** The methods of the API as tests write them, over any transport. */
export class Api {
  readonly harness: Harness;
  readonly #watches: Watch[] = [];

  constructor(harness: Harness) {
    this.harness = harness;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { status, headers, chunks } = await this.harness.send(wireRequest(method, path, options));
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const text = Buffer.concat(parts).toString();
    return { status, headers, text, body: parsed(text) };
  }

  get(path: string, headers?: CallOptions["headers"]): Promise<Answer> {
    return this.call("GET", path, headers && { headers });
  }
  post(path: string, body: unknown): Promise<Answer> {
    return this.call("POST", path, { body });
  }
  put(path: string, body: unknown): Promise<Answer> {
    return this.call("PUT", path, { body });
  }
  delete(path: string, body?: unknown): Promise<Answer> {
    return this.call("DELETE", path, { body });
  }
  patch(path: string, type: "merge-patch" | "json-patch", body: unknown): Promise<Answer> {
    return this.call("PATCH", path, {
      body,
      headers: { "content-type": `application/${type}+json` },
    });
  }

  /** Creates an object that must be accepted. */
  async create(path: string, body: unknown): Promise<Json> {
    return accepted(await this.post(path, body), 201);
  }
  /** Reads an object that must be there. */
  async read(path: string): Promise<Json> {
    return accepted(await this.get(path), 200);
  }
  /** Replaces an object; that must succeed. */
  async replace(path: string, body: unknown): Promise<Json> {
    return accepted(await this.put(path, body), 200);
  }

  /** Begins a watch; it ends with the test. */
  async watch(path: string, headers?: CallOptions["headers"]): Promise<Watch> {
    const options = headers ? { headers } : {};
    const watch = new Watch(await this.harness.send(wireRequest("GET", path, options)));
    this.#watches.push(watch);
    return watch;
  }

  async close(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.close()));
    await this.harness.close();
  }
}

/** An event as tests compare it. */
export interface SeenEvent {
  readonly type: string;
  readonly object: Json;
}

/** The events of a watch, read one at a time: what nobody asks for is not read. */
export class Watch {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #lines: AsyncGenerator<string>;

  constructor({ status, headers, chunks }: WireAnswer) {
    this.status = status;
    this.headers = headers;
    this.#lines = linesOf(chunks);
  }

  /** The next event; undefined when the watch has ended. */
  async next(): Promise<SeenEvent | undefined> {
    const { done, value } = await this.#lines.next();
    return done ? undefined : (JSON.parse(value) as SeenEvent);
  }

  /** The next events, as `TYPE name`. */
  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) {
      const event = await this.next();
      if (!event) break;
      seen.push(brief(event));
    }
    return seen;
  }

  /** All that follows, until the watch ends by itself. */
  async rest(): Promise<SeenEvent[]> {
    const events: SeenEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    return events;
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }
}

export const brief = ({ type, object }: SeenEvent): string =>
  object.metadata.name === undefined ? type : `${type} ${object.metadata.name}`;

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  for await (const chunk of chunks) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    pending.push(first);
    for (const line of others) {
      yield pending.join("");
      pending = [line];
    }
  }
  if (pending.join("") !== "")
    throw new Error(`the watch broke off in an event: ${pending.join("")}`);
}

function wireRequest(method: string, path: string, options: CallOptions): WireRequest {
  const { body, anonymous = false } = options;
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  Object.assign(headers, options.headers);
  return { method, path, headers, body: bytesOf(body), anonymous };
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {} as Json;
  }
}

function accepted({ status, text, body }: Answer, wanted: number): Json {
  if (status !== wanted) throw new Error(`expected ${wanted}, got ${status}: ${text}`);
  return body;
}

/** What a failure says: code, reason and message. */
export const failure = ({ status, body }: Answer): [number, string | undefined, string] => [
  status,
  body.reason,
  body.message,
];

/** When the server of every test begins. */
export const newYear = Date.UTC(2026, 0, 1);

export const configMaps = "/api/v1/namespaces/default/configmaps";
/** The name of the one that every cluster has, in kube-system. */
export const systemConfigMap = "kube-apiserver-legacy-service-account-token-tracking";
export const pods = "/api/v1/namespaces/default/pods";

/** A config map as clients write it. */
export const configMap = (name: string, extra: object = {}): object => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name },
  ...extra,
});

export const pod = (name: string, spec: object = {}): object => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

export const names = ({ items }: Json): string[] => items.map(({ metadata }) => metadata.name);
