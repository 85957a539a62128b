import { errorMessage } from "../../base/error-message.ts";
import { itemBackoff } from "../../base/queue/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import type { Schema } from "../../schema/openapi/openapi.ts";
import { mergeOpenApi2 } from "../documents/openapi/merge-openapi.ts";
import { encodeOpenApi2 } from "../documents/openapi/openapi-protobuf.ts";
import { fetchDocument, headerIn, notFetched, parseDocument } from "./fetch-document.ts";
import { type RemoteApi, rootPath } from "./remote-api.ts";
import type { RemoteServers } from "./remote-servers.ts";

export interface RemoteOpenApiParts {
  readonly servers: RemoteServers;
  /** The remote APIs, by the names of their APIServices. */
  readonly remote: ReadonlyMap<string, RemoteApi>;
  /** Whether this server serves a group, or a version of it. */
  isLocal(group: string, version?: string): boolean;
}

/** The OpenAPI documents of a remote API, as far as its server has them. */
interface Published {
  /** In OpenAPI 2, without what belongs to other APIs. */
  readonly v2?: { readonly document: Schema; readonly etag: string } | undefined;
  /** The index of its documents in OpenAPI 3; absent if it has none. */
  readonly v3?: { readonly paths: Schema; readonly text: string } | undefined;
}

/** The OpenAPI documents of remote APIs: fetched soon after an APIService changes, and every minute. */
export class RemoteOpenApi {
  readonly #parts: RemoteOpenApiParts;
  readonly #queue: RateLimitingQueue<string>;
  readonly #stop = new AbortController();
  readonly #published = new Map<string, Published>();
  /** Grows with every change of a document. */
  changes = 0;

  constructor(parts: RemoteOpenApiParts) {
    this.#parts = parts;
    const { clock } = parts.servers.parts;
    const limiter = itemBackoff<string>({ base: 1000, max: intervalMs });
    this.#queue = new RateLimitingQueue(new WorkQueue(), { clock, limiter });
    for (let i = 0; i < workers; i++) void this.#work();
  }

  /** The OpenAPI 2 documents, in the order of registration. */
  v2(): readonly Schema[] {
    return this.#all().flatMap(([, { v2 }]) => (v2 ? [v2.document] : []));
  }

  /** The entries of the index of OpenAPI 3 documents, by their names. */
  v3(): ReadonlyMap<string, unknown> {
    return new Map(
      this.#all().flatMap(([api, { v3 }]) =>
        Object.entries(v3?.paths ?? {}).filter(([name]) => this.#isOwn(name, api)),
      ),
    );
  }

  /** The OpenAPI 2 documents of APIs whose servers have no OpenAPI 3, by the names that they have there. */
  withoutV3(): ReadonlyMap<string, Schema> {
    return new Map(
      this.#all().flatMap(([api, { v2, v3 }]) =>
        v2 && !v3 ? [[rootPath(api).slice(1), v2.document] as const] : [],
      ),
    );
  }

  /** The API whose server has the OpenAPI 3 document of a name. */
  ownerOf(name: string): RemoteApi | undefined {
    return this.#all().find(
      ([api, { v3 }]) => v3 && Object.hasOwn(v3.paths, name) && this.#isOwn(name, api),
    )?.[0];
  }

  /** Fetches the documents of an API that is new or has changed; forgets them if it is gone. */
  changed(name: string): void {
    if (!this.#parts.remote.has(name)) {
      if (this.#published.delete(name)) this.changes++;
      return;
    }
    this.#queue.forget(name);
    this.#queue.addAfter(name, soonMs);
  }

  close(): void {
    this.#stop.abort();
    this.#queue.shutDown();
  }

  /** Whether a document is of the group of an API: a server publishes others, which are not what clients get. */
  #isOwn(name: string, { group }: RemoteApi): boolean {
    const [root, own, version] = name.split("/");
    return root === "apis" && own === group && !this.#parts.isLocal(group, version);
  }

  #all(): (readonly [RemoteApi, Published])[] {
    return [...this.#parts.remote].flatMap(([name, api]) => {
      const published = this.#published.get(name);
      return published ? [[api, published] as const] : [];
    });
  }

  async #work(): Promise<void> {
    for (;;) {
      const name = await this.#queue.get();
      if (name === undefined) return;
      const api = this.#parts.remote.get(name);
      if (!api) this.#queue.forget(name);
      else if (await this.#refresh(api)) {
        this.#queue.forget(name);
        this.#queue.addAfter(name, intervalMs);
      } else if (!this.#stop.signal.aborted) this.#queue.addRateLimited(name);
      this.#queue.done(name);
    }
  }

  /** Whether the server could be reached. Documents that were fetched before stay if not. */
  async #refresh(api: RemoteApi): Promise<boolean> {
    const { log } = this.#parts.servers.parts;
    const before = this.#published.get(api.name);
    try {
      const v3 = await this.#index(api, before);
      const v2 = await this.#document2(api, before);
      if (before && v2 === before.v2 && v3 === before.v3) return true;
      this.#published.set(api.name, { v2, v3 });
      this.changes++;
      return true;
    } catch (error) {
      if (!this.#stop.signal.aborted)
        log.debug("OpenAPI of an API could not be fetched", {
          api: api.name,
          error: errorMessage(error),
        });
      return false;
    }
  }

  async #index(api: RemoteApi, before: Published | undefined): Promise<Published["v3"]> {
    const path = "/openapi/v3";
    const document = await this.#fetch(api, path, undefined);
    if (document.status === 404) return undefined;
    if (document.status !== 200) throw notFetched(path, document);
    if (document.text === before?.v3?.text) return before.v3;
    const { paths } = objectOf(parseDocument(path, document.text));
    return { paths: objectOf(paths), text: document.text };
  }

  async #document2(api: RemoteApi, before: Published | undefined): Promise<Published["v2"]> {
    const path = "/openapi/v2";
    const document = await this.#fetch(api, path, before?.v2?.etag);
    if (document.status === 304) return before?.v2;
    if (document.status === 404) return undefined;
    if (document.status !== 200) throw notFetched(path, document);
    const whole = objectOf(parseDocument(path, document.text));
    const { info, securityDefinitions } = whole;
    const own = mergeOpenApi2({ info, securityDefinitions }, whole, `${rootPath(api)}/`);
    // One that cannot be encoded would spoil the document of the whole cluster.
    encodeOpenApi2(own);
    return { document: own, etag: headerIn(document, "etag") };
  }

  #fetch(api: RemoteApi, path: string, known: string | undefined) {
    return fetchDocument(api, this.#parts.servers, {
      path,
      accept: "application/json",
      known,
      user: { name: "system:aggregator", groups: [] },
      timeoutMs,
      signal: this.#stop.signal,
    });
  }
}

const workers = 5;
/** Several changes at a time are followed by one request. */
const soonMs = 500;
const intervalMs = 60_000;
const timeoutMs = 60_000;

function objectOf(value: unknown): Schema {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Schema;
  throw new Error("the document is no object");
}
