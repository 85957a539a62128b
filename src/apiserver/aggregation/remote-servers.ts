import { caBundleFault } from "../../api/apiextensions/v1/custom-resource-conversion-validation.ts";
import { textOfBytes } from "../../api/certificates/x509/pem.ts";
import { decodeBase64 } from "../../base/base64.ts";
import type { Clock } from "../../base/clock.ts";
import type { Entropy } from "../../base/entropy.ts";
import type { Log } from "../../base/log.ts";
import { type DialTls, hostPort, type Network } from "../../base/network.ts";
import type { Random } from "../../base/random.ts";
import type { FrontProxies } from "../authentication/front-proxy.ts";
import { serviceAddress, type ToEndpoints } from "../connect/cluster-service.ts";
import type { HttpRequest, HttpResponse } from "../connect/http-client.ts";
import { KeptRequests } from "../connect/kept-requests.ts";
import type { Location } from "../connect/location.ts";
import type { ObjectReader } from "../objects/reader.ts";
import type { RemoteApi } from "./remote-api.ts";
import { userHeaderTest } from "./user-headers.ts";

/** A client certificate by which other servers know this one as a front proxy; PEM. */
export interface ProxyClient {
  readonly cert: string;
  readonly key: string;
}

/** How this server reaches the servers of other APIs. */
export interface AggregationOptions {
  readonly proxyClient?: ProxyClient;
  /** Whether to connect to endpoints of services, for webhooks as well; false if not given. */
  readonly toEndpoints?: ToEndpoints;
  /** Whether redirects of other servers are rejected; true if not given. */
  readonly rejectsRedirects?: boolean;
}

export interface RemoteServersParts {
  readonly network: Network;
  readonly clock: Clock;
  readonly random: Random;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly reader: ObjectReader;
  readonly options: AggregationOptions;
  /** The front proxies in front of this server. */
  readonly frontProxies?: FrontProxies | undefined;
}

/** The servers of remote APIs: their addresses, and connections to them. */
export class RemoteServers {
  readonly parts: RemoteServersParts;
  /** Whether a header, by its name in lower case, tells who the caller is. */
  readonly isUserHeader: (name: string) => boolean;
  #proxyClient: ProxyClient | undefined;
  #tls = new WeakMap<RemoteApi, DialTls>();
  /** Made on first use: most clusters have no remote APIs. */
  #requests: KeptRequests | undefined;

  constructor(parts: RemoteServersParts) {
    this.parts = parts;
    this.#proxyClient = parts.options.proxyClient;
    this.isUserHeader = userHeaderTest(parts.frontProxies);
  }

  /** Where the server of an API is, without a path; throws if its service has no usable address. */
  locate(api: RemoteApi): Location {
    const { reader, random, options } = this.parts;
    const { toEndpoints = false } = options;
    const { host, port } = serviceAddress(reader, api.service, { toEndpoints, random });
    const tls = this.#tls.get(api) ?? { ...serverTls(api), ...this.#proxyClient };
    this.#tls.set(api, tls);
    return { scheme: "https", host: hostPort(host, port), path: "", query: "", tls };
  }

  send(location: Location, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    this.#requests ??= new KeptRequests(this.parts);
    return this.#requests.send(location, request, signal);
  }

  /** Uses another client certificate for new connections, and closes those that wait for requests. */
  renew(proxyClient: ProxyClient): void {
    this.#proxyClient = proxyClient;
    this.#tls = new WeakMap();
    this.#requests?.close();
    this.#requests = undefined;
  }

  close(): void {
    this.#requests?.close();
  }
}

const serverTls = ({ service, caBundle, isInsecure }: RemoteApi): DialTls => ({
  ...(caBundle !== "" && { ca: textOfBytes(decodeBase64(caBundle)) }),
  serverName: `${service.name}.${service.namespace}.svc`,
  insecure: isInsecure,
});

/** Why the connections of an API cannot be made; undefined if they can. */
export const connectionFault = ({ caBundle }: RemoteApi): string | undefined =>
  caBundleFault(caBundle);
