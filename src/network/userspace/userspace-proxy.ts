import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import type { DialStreams } from "../../base/stream-connection.ts";
import { ApplyLoop } from "../apply-loop.ts";
import type { NetworkEnvironment } from "../network-part.ts";
import { connectDirectly, connectThroughApi } from "./backend-connections.ts";
import { type ForwardedPort, forwardedPorts } from "./forwarded-ports.ts";
import { type LocalListener, listenNear } from "./local-listener.ts";
import { listenTcp } from "./tcp-listener.ts";
import { listenUdp } from "./udp-listener.ts";

export interface UserspaceProxyOptions
  extends Pick<NetworkEnvironment, "informers" | "clock" | "random" | "log"> {
  /** The services to forward, as `default/web`; all if empty. */
  readonly services: readonly string[];
  /** How the API server forwards ports of pods; without it, connections go to the addresses of pods. */
  readonly dial?: DialStreams | undefined;
  /** Called with what is reachable where, at first and after each change. */
  readonly changed: (ports: readonly LocalPort[]) => void;
}

/** A port of a service, and where this machine reaches it. */
export interface LocalPort extends ForwardedPort {
  /** The port of 127.0.0.1; absent if it cannot be reached. */
  readonly localPort?: number | undefined;
}

/** Forwards ports of this machine to services of a cluster, without touching the kernel. */
export function openUserspaceProxy(options: UserspaceProxyOptions): { close(): Promise<void> } {
  const { informers, clock, random, log, dial } = options;
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  slices.addIndexers({ [byService]: (slice) => [serviceOf(slice)] });
  const connect = dial ? connectThroughApi(dial) : connectDirectly;
  const listeners = new Map<string, LocalListener>();
  let ports = new Map<string, ForwardedPort>();

  const listen = async (key: string, { protocol, port, service }: ForwardedPort) => {
    const listening = {
      backends: () => ports.get(key)?.backends ?? [],
      ...{ random, connect },
      failed: (error: unknown) => log.error("forwarding failed", error, { service, port }),
    };
    const start = protocol === "TCP" ? listenTcp : listenUdp;
    listeners.set(key, await listenNear(port, (at) => start(at, listening)));
  };
  const loop = new ApplyLoop({
    ...{ clock, minIntervalMs: 100, maxRetryMs: 10_000 },
    async apply() {
      const wanted = services
        .list()
        .filter(({ metadata }) => isWanted(options.services, keyOf(metadata)))
        .flatMap((service) =>
          forwardedPorts(service, slices.byIndex(byService, keyOf(service.metadata))),
        )
        .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
      ports = new Map(wanted.map((port) => [keyOfPort(port), port]));
      for (const [key, listener] of listeners)
        if (!ports.has(key)) {
          listeners.delete(key);
          listener.close();
        }
      for (const [key, port] of ports)
        if (!listeners.has(key) && isReachable(port)) await listen(key, port);
      options.changed(
        wanted.map((port) => ({ ...port, localPort: listeners.get(keyOfPort(port))?.port })),
      );
    },
    failed: (error) => log.error("listening for a service failed", error),
  });
  /** UDP needs the addresses of pods. */
  const isReachable = ({ protocol }: ForwardedPort): boolean => protocol === "TCP" || !dial;
  const wake = (): void => loop.wake();
  Promise.all([services.synced(), slices.synced()]).then(
    () => {
      for (const informer of [services, slices])
        informer.addHandler({ added: wake, updated: wake, deleted: wake });
      wake();
    },
    // Closed before all was known.
    () => {},
  );
  return {
    async close() {
      services.close();
      slices.close();
      await loop.close();
      for (const listener of listeners.values()) listener.close();
      listeners.clear();
    },
  };
}

const byService = "userspace-service";

const isWanted = (names: readonly string[], key: string): boolean =>
  names.length === 0 || names.includes(key);

const keyOf = ({ namespace, name }: ObjectMeta): string => `${namespace}/${name}`;

const serviceOf = ({ metadata }: EndpointSlice): string =>
  `${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ""}`;

const keyOfPort = ({ service, protocol, port }: ForwardedPort): string =>
  `${service} ${protocol} ${port}`;

/** Those that were first to have a port keep it, whatever the order of events was. */
const sortKey = ({ service, protocol, port }: ForwardedPort): string =>
  `${service} ${String(port).padStart(5, "0")} ${protocol}`;
