import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { type Clock, ticksOf } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import { type Client, createClient } from "../../client/client.ts";
import { createInformers, type Informers } from "../../client/informer/informers.ts";
import { measured } from "../../client/measured.ts";
import { type RateLimit, rateLimited } from "../../client/rate-limited.ts";
import { timeLimited } from "../../client/time-limited.ts";
import type { Transport } from "../../client/transport.ts";
import { type HttpsTransportOptions, httpsTransport } from "../../kubeconfig/https-transport.ts";
import type { KubeletOptions } from "../../kubelet/kubelet.ts";
import {
  type CachedReferencesOptions,
  cachedReferences,
  type ReferenceStrategy,
  requestedReferences,
} from "../../kubelet/pod/polled-references.ts";
import { standaloneReferences } from "../../kubelet/pod/standalone-references.ts";
import {
  type WatchedReferences,
  type WatchedReferencesOptions,
  watchReferences,
} from "../../kubelet/pod/watched-references.ts";
import { sharePods } from "../../kubelet/pod-source.ts";
import { annotatedApiPods } from "../../kubelet/pod-sources/annotated-api-pods.ts";
import { delayPods } from "../../kubelet/pod-sources/delay-pods.ts";

/** What a node gets from its API server. */
export interface NodeApiServer {
  /** Calls as the node. Without an API server, all of its requests fail. */
  readonly client: Client;
  readonly references: WatchedReferences;
  /** Absent without an API server. */
  readonly informers?: Informers | undefined;
  /** The node in the API; undefined if it does not exist. */
  readonly node: () => Node | undefined;
  /** The parts of a kubelet that is not standalone. */
  readonly kubelet: Pick<
    KubeletOptions,
    "client" | "eventClient" | "heartbeatClient" | "pods" | "services"
  >;
  close(): void;
}

export interface ConnectNodeOptions {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called for each pod that refers to an object that has changed. */
  readonly changed: (podUid: string) => void;
  /** By default there are none, and there never are any for heartbeats. */
  readonly limits?: NodeRequestLimits | undefined;
  /** How long a request of a heartbeat may take; by default as long as it does. */
  readonly heartbeatMs?: number | undefined;
  /** How config maps and secrets are read; by default they are watched. */
  readonly strategy?: ReferenceStrategy | undefined;
}

/** Limits of requests, and of those about events. */
export interface NodeRequestLimits {
  readonly requests: RateLimit;
  readonly events: RateLimit;
}

/** Connects a node with its API server, which need not respond yet. */
export function connectNode(
  connection: HttpsTransportOptions,
  options: ConnectNodeOptions,
): NodeApiServer {
  const { nodeName: name, clock, metrics, limits } = options;
  const transport = httpsTransport(connection);
  const { host } = new URL(connection.server);
  const counted = measured(transport, { metrics, ticks: ticksOf(clock), host });
  const clientBy = (transport: Transport): Client =>
    createClient(transport, { clock, fieldManager: "kubelet", omitEmpty: true });
  const clientWithin = (limit: RateLimit | undefined): Client =>
    clientBy(limit ? rateLimited(counted, { ...limit, clock }) : counted);
  const client = clientWithin(limits?.requests);
  const informers = createInformers({ ...options, client });
  const pods = informers.of(Pod, { fieldSelector: `spec.nodeName=${name}` });
  const nodes = informers.of(Node, { fieldSelector: `metadata.name=${name}` });
  const services = informers.of(Service);
  const shared = sharePods(pods);
  const node = (): Node | undefined => nodes.get({ name });
  const references = referencesBy(options.strategy ?? "Watch", { ...options, client, node });
  // Containers learn of services when they start.
  const known = Promise.all([nodes.synced(), services.synced()]);
  return {
    ...{ client, references, informers },
    node,
    kubelet: {
      ...{ client, services },
      eventClient: clientWithin(limits?.events),
      heartbeatClient: clientBy(timeLimited(counted, { clock, ms: options.heartbeatMs })),
      pods: annotatedApiPods(delayPods(shared.of(name), known), clock),
    },
    close() {
      references.close();
      shared.close();
      informers.close();
      transport.close();
    },
  };
}

function referencesBy(
  strategy: ReferenceStrategy,
  options: WatchedReferencesOptions & CachedReferencesOptions,
): WatchedReferences {
  if (strategy === "Get") return requestedReferences(options.client);
  return strategy === "Cache" ? cachedReferences(options) : watchReferences(options);
}

/** Stands for the connection of a node without an API server. */
export function standaloneNode({ clock, log }: ConnectNodeOptions): NodeApiServer {
  log.warn("standalone mode, no API client");
  const client = createClient(() => Promise.reject(new Error(standalone)), { clock });
  const node = (): undefined => undefined;
  return { client, references: standaloneReferences, node, kubelet: {}, close() {} };
}

const standalone = "not supported due to running kubelet in standalone mode";
