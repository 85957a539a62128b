import type { Metrics } from "../../base/metrics.ts";
import type { Network } from "../../base/network.ts";
import type { FrontProxies } from "../authentication/front-proxy.ts";
import type { RegisteredApis } from "../documents/registered-apis.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import { groupVersionOf, parsePath } from "../request/request-info.ts";
import type { OwnParts } from "../verbs/writer.ts";
import { AvailabilityController } from "./availability-controller.ts";
import { type ProxiedCaller, proxyToApi } from "./proxy-to-api.ts";
import type { RemoteApi } from "./remote-api.ts";
import { type AggregationOptions, RemoteServers } from "./remote-servers.ts";

export interface AggregationParts extends OwnParts {
  readonly registered: RegisteredApis;
  readonly network: Network;
  readonly metrics: Metrics;
  readonly options: AggregationOptions;
  readonly frontProxies?: FrontProxies | undefined;
}

/** The APIs that other servers serve: requests for them, and whether they are available. */
export class Aggregation {
  readonly #parts: AggregationParts;
  readonly #servers: RemoteServers;
  /** Made for the first remote API. */
  #availability: AvailabilityController | undefined;

  constructor(parts: AggregationParts) {
    this.#parts = parts;
    this.#servers = new RemoteServers({ ...parts, ...parts.environment });
  }

  /** Begins to check the servers. */
  start(): void {
    const { registered } = this.#parts;
    registered.onRemoteChange = (name) => this.#changed(name);
    for (const name of registered.allRemote.keys()) this.#changed(name);
  }

  /** A version of a group that another server serves; undefined if none does. */
  find(group: string, version: string): RemoteApi | undefined {
    return this.#parts.registered.remote(group, version);
  }

  /** Whether a request is proxied, so that its body is passed on as it arrives. */
  isProxied(path: string): boolean {
    if (this.#parts.registered.allRemote.size === 0) return false;
    const target = parsePath(path);
    if (!target) return false;
    const { group, version } = groupVersionOf(target);
    return this.find(group, version) !== undefined;
  }

  proxy(
    request: ApiRequest,
    to: { readonly api: RemoteApi; readonly caller: ProxiedCaller },
  ): Promise<ApiResponse> {
    return proxyToApi(request, to, this.#servers);
  }

  close(): void {
    this.#parts.registered.onRemoteChange = undefined;
    this.#availability?.close();
    this.#servers.close();
  }

  #changed(name: string): void {
    const { registered } = this.#parts;
    if (registered.allRemote.size === 0) {
      this.#availability?.close();
      this.#availability = undefined;
      return;
    }
    this.#availability ??= new AvailabilityController({
      ...this.#parts,
      servers: this.#servers,
      remote: () => registered.allRemote.values(),
    });
    this.#availability.check(name);
  }
}
