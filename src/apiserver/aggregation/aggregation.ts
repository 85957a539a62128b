import type { Metrics } from "../../base/metrics.ts";
import type { Network } from "../../base/network.ts";
import type { FrontProxies } from "../authentication/front-proxy.ts";
import type { RemoteDocuments } from "../documents/openapi/openapi-documents.ts";
import type { RegisteredApis } from "../documents/registered-apis.ts";
import { groupVersionOf, parsePath, type RequestTarget } from "../request/request-info.ts";
import type { OwnParts } from "../verbs/writer.ts";
import { AvailabilityController } from "./availability-controller.ts";
import type { Delegates, Respond } from "./delegates.ts";
import { proxyToApi } from "./proxy-to-api.ts";
import type { RemoteApi } from "./remote-api.ts";
import { RemoteDiscovery } from "./remote-discovery.ts";
import { RemoteOpenApi } from "./remote-openapi.ts";
import { type AggregationOptions, type ProxyClient, RemoteServers } from "./remote-servers.ts";
import type { VersionDiscovery } from "./version-discovery.ts";

export interface AggregationParts extends OwnParts {
  readonly registered: RegisteredApis;
  readonly network: Network;
  readonly metrics: Metrics;
  readonly options: AggregationOptions;
  readonly frontProxies?: FrontProxies | undefined;
}

/** The APIs that other servers serve: requests for them, and whether they are available. */
export class Aggregation implements Delegates {
  readonly #parts: AggregationParts;
  readonly #servers: RemoteServers;
  /** The OpenAPI documents of other servers. */
  readonly openApi: RemoteDocuments;
  /** All of them are registered. */
  readonly groups = [];
  /** How often the documents have changed of followers that have ended. */
  #pastChanges = 0;
  /** Made for the first remote API, and ended with the last. */
  #followers: Followers | undefined;

  constructor(parts: AggregationParts) {
    this.#parts = parts;
    this.#servers = new RemoteServers({ ...parts, ...parts.environment });
    const current = () => this.#followers?.openApi;
    const changes = () => this.#pastChanges + (current()?.changes ?? 0);
    this.openApi = {
      get changes() {
        return changes();
      },
      v2: () => current()?.v2() ?? [],
      v3: () => current()?.v3() ?? new Map(),
      withoutV3: () => current()?.withoutV3() ?? new Map(),
    };
  }

  /** Begins to check the servers. */
  start(): void {
    const { registered } = this.#parts;
    registered.onRemoteChange = (name) => this.#changed(name);
    for (const name of registered.allRemote.keys()) this.#changed(name);
  }

  /** Whether a request is proxied, so that its body is passed on as it arrives. */
  isProxied(path: string): boolean {
    if (this.#parts.registered.allRemote.size === 0) return false;
    const target = parsePath(path);
    if (!target) return false;
    const { group, version } = groupVersionOf(target);
    return this.#find(group, version) !== undefined;
  }

  /** Proxies requests for the resources and OpenAPI documents of other servers. */
  respondTo(target: RequestTarget): Respond | undefined {
    if (this.#parts.registered.allRemote.size === 0) return undefined;
    const { group, version } = groupVersionOf(target);
    const api = version === "" ? this.#documentOwner(target) : this.#find(group, version);
    return api && ((request, caller) => proxyToApi(request, { api, caller }, this.#servers));
  }

  /** The resources of a version of a group that another server serves; undefined if none does. */
  discovery(group: string, version: string): VersionDiscovery | undefined {
    const api = this.#find(group, version);
    return api && (this.#followers?.discovery.of(api) ?? { version, freshness: "Stale" });
  }

  /** Uses another client certificate from now on. */
  renew(proxyClient: ProxyClient): void {
    this.#servers.renew(proxyClient);
  }

  close(): void {
    this.#parts.registered.onRemoteChange = undefined;
    this.#unfollow();
    this.#servers.close();
  }

  #find(group: string, version: string): RemoteApi | undefined {
    return this.#parts.registered.remote(group, version);
  }

  /** The API whose server has the OpenAPI document at a path. */
  #documentOwner(target: RequestTarget): RemoteApi | undefined {
    const prefix = "/openapi/v3/";
    if (target.type === "resource" || !target.path.startsWith(prefix)) return undefined;
    return this.#followers?.openApi.ownerOf(target.path.slice(prefix.length));
  }

  #changed(name: string): void {
    const { registered } = this.#parts;
    if (registered.allRemote.size === 0) {
      this.#unfollow();
      return;
    }
    this.#followers ??= this.#follow();
    this.#followers.availability.check(name);
    this.#followers.discovery.changed(name);
    this.#followers.openApi.changed(name);
  }

  #follow(): Followers {
    const servers = this.#servers;
    const { registered } = this.#parts;
    const remote = registered.allRemote;
    const isLocal = (group: string, version?: string) => registered.isLocal(group, version);
    return {
      availability: new AvailabilityController({ ...this.#parts, servers, remote }),
      discovery: new RemoteDiscovery({ servers, remote }),
      openApi: new RemoteOpenApi({ servers, remote, isLocal }),
    };
  }

  #unfollow(): void {
    if (!this.#followers) return;
    const { availability, discovery, openApi } = this.#followers;
    for (const follower of [availability, discovery, openApi]) follower.close();
    this.#pastChanges += openApi.changes + 1;
    this.#followers = undefined;
  }
}

/** What follows the servers of remote APIs. */
interface Followers {
  readonly availability: AvailabilityController;
  readonly discovery: RemoteDiscovery;
  readonly openApi: RemoteOpenApi;
}
