import { errorMessage } from "../../base/error-message.ts";
import { itemBackoff } from "../../base/queue/rate-limiter.ts";
import { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";
import { WorkQueue } from "../../base/queue/work-queue.ts";
import { aggregatorUser } from "./check-server.ts";
import { fetchDocument, headerIn, notFetched, parseDocument } from "./fetch-document.ts";
import { type RemoteApi, rootPath } from "./remote-api.ts";
import type { RemoteServers } from "./remote-servers.ts";
import { discoveredVersions, listedResources, type VersionDiscovery } from "./version-discovery.ts";

export interface RemoteDiscoveryParts {
  readonly servers: RemoteServers;
  /** The remote APIs, by the names of their APIServices. */
  readonly remote: ReadonlyMap<string, RemoteApi>;
}

/** What the server of a service published last; several APIs may have the same server. */
interface Published {
  readonly versions: ReadonlyMap<string, VersionDiscovery>;
  readonly etag: string;
  /** When it was requested, as a number that grows with each request. */
  readonly at: number;
}

/** The resources of remote APIs, for discovery: fetched when an APIService changes, and every minute. */
export class RemoteDiscovery {
  readonly #parts: RemoteDiscoveryParts;
  /** Of names of APIServices. */
  readonly #queue: RateLimitingQueue<string>;
  readonly #stop = new AbortController();
  readonly #entries = new Map<string, VersionDiscovery>();
  /** By service. */
  readonly #published = new Map<string, Published>();
  /** The count of requests and changes when an API changed last: what was fetched before is outdated. */
  readonly #changedAt = new Map<string, number>();
  #count = 0;

  constructor(parts: RemoteDiscoveryParts) {
    this.#parts = parts;
    const { clock } = parts.servers.parts;
    const limiter = itemBackoff<string>({ base: 500, max: intervalMs });
    this.#queue = new RateLimitingQueue(new WorkQueue(), { clock, limiter });
    for (let i = 0; i < workers; i++) void this.#work();
  }

  /** The resources of an API as far as they are known; stale until its server was reached. */
  of({ name, version }: RemoteApi): VersionDiscovery {
    return this.#entries.get(name) ?? { version, freshness: "Stale" };
  }

  /** Fetches the resources of an API that is new or has changed; forgets them if it is gone. */
  changed(name: string): void {
    this.#changedAt.set(name, ++this.#count);
    this.#queue.add(name);
  }

  close(): void {
    this.#stop.abort();
    this.#queue.shutDown();
  }

  async #work(): Promise<void> {
    for (;;) {
      const name = await this.#queue.get();
      if (name === undefined) return;
      const api = this.#parts.remote.get(name);
      if (!api) this.#forget(name);
      else if (await this.#refresh(api)) {
        this.#queue.forget(name);
        this.#changedAt.set(name, ++this.#count);
        this.#queue.addAfter(name, intervalMs);
      } else if (!this.#stop.signal.aborted) this.#queue.addRateLimited(name);
      this.#queue.done(name);
    }
  }

  #forget(name: string): void {
    this.#entries.delete(name);
    this.#changedAt.delete(name);
    this.#queue.forget(name);
    const used = new Set([...this.#parts.remote.values()].map(serviceKey));
    for (const key of this.#published.keys()) if (!used.has(key)) this.#published.delete(key);
  }

  /** Whether the server could be reached. */
  async #refresh(api: RemoteApi): Promise<boolean> {
    const { name, version, group } = api;
    const { log } = this.#parts.servers.parts;
    try {
      const found = await this.#versions(api);
      const entry = found.get(`${group}/${version}`) ?? { version };
      this.#entries.set(name, { ...entry, freshness: "Current" });
      return true;
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      log.debug("discovery of an API failed", { api: name, error: errorMessage(error) });
      this.#entries.set(name, { version, freshness: "Stale" });
      return false;
    }
  }

  async #versions(api: RemoteApi): Promise<ReadonlyMap<string, VersionDiscovery>> {
    const key = serviceKey(api);
    const known = this.#published.get(key);
    if (known && known.at > (this.#changedAt.get(api.name) ?? 0)) return known.versions;
    const at = ++this.#count;
    const path = "/apis";
    const document = await fetchDocument(api, this.#parts.servers, {
      path,
      accept: [acceptV2("v2"), acceptV2("v2beta1")].join(","),
      known: known?.etag,
      user: aggregatorUser,
      timeoutMs,
      signal: this.#stop.signal,
    });
    if (document.status === 304 && known) {
      this.#published.set(key, { ...known, at });
      return known.versions;
    }
    if (document.status === 503) throw notFetched(path, document);
    if (document.status !== 200 || !isAggregated(headerIn(document, "content-type")))
      return this.#listed(api);
    const versions = discoveredVersions(parseDocument(path, document.text));
    this.#published.set(key, { versions, etag: headerIn(document, "etag"), at });
    return versions;
  }

  /** The resources of an API whose server does not have all of its APIs in one document. */
  async #listed(api: RemoteApi): Promise<ReadonlyMap<string, VersionDiscovery>> {
    const { group, version } = api;
    const path = rootPath(api);
    const document = await fetchDocument(api, this.#parts.servers, {
      path,
      accept: "application/json",
      user: { name: aggregatorUser.name, groups: [] },
      timeoutMs,
      signal: this.#stop.signal,
    });
    if (document.status !== 200) throw notFetched(path, document);
    const resources = listedResources(parseDocument(path, document.text));
    return new Map([
      [`${group}/${version}`, { version, ...(resources.length > 0 && { resources }) }],
    ]);
  }
}

const serviceKey = ({ service }: RemoteApi): string => JSON.stringify(service);

const workers = 5;
const intervalMs = 60_000;
const timeoutMs = 5000;

const acceptV2 = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

const isAggregated = (contentType: string): boolean =>
  /;\s*g=apidiscovery\.k8s\.io/.test(contentType) &&
  /;\s*as=APIGroupDiscoveryList/.test(contentType);
