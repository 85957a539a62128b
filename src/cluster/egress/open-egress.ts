import type { Metrics } from "../../base/metrics.ts";
import type { Network } from "../../base/network.ts";
import { type Dial, dialSocket } from "../../platform/dial-socket.ts";
import { networkThrough, realNetwork } from "../../platform/real-network.ts";
import { connectThrough, dialConnectProxy } from "./connect-tunnel.ts";
import { EgressMetrics } from "./egress-metrics.ts";
import { openTunnel } from "./konnectivity-tunnel.ts";
import type { EgressRoute, EgressRoutes } from "./read-egress.ts";

/** How a server connects to others where that is not directly. */
export interface OpenEgress {
  readonly networks: { readonly cluster?: Network; readonly controlPlane?: Network };
  /** Open connections below TLS. */
  readonly dials: { readonly controlPlane?: Dial; readonly etcd?: Dial };
  /** Shows what connections through proxies took. */
  observe(metrics: Metrics): void;
}

/** Makes the networks of a configuration. */
export function openEgress({ cluster, controlplane, etcd }: EgressRoutes): OpenEgress {
  const metrics = new EgressMetrics();
  const dials = {
    ...(controlplane && { controlPlane: dialBy(controlplane, metrics) }),
    ...(etcd && { etcd: dialBy(etcd, metrics) }),
  };
  const networkBy = (route: EgressRoute): Network =>
    route.protocol === "direct" ? realNetwork : networkThrough(dialBy(route, metrics));
  return {
    networks: {
      ...(cluster && { cluster: networkBy(cluster) }),
      ...(controlplane && { controlPlane: networkBy(controlplane) }),
    },
    dials,
    observe: (registry) => metrics.register(registry),
  };
}

function dialBy(route: EgressRoute, metrics: EgressMetrics): Dial {
  const { protocol } = route;
  if (protocol === "direct") return (place, signal) => dialSocket(place, { signal });
  const labels = [protocol, "socket" in route ? "uds" : "tcp"] as const;
  if (protocol === "grpc")
    return (place, signal) =>
      metrics.dialled(
        labels,
        () => openTunnel(route.socket, signal),
        (tunnel) => tunnel.dial(place, signal),
      );
  return (place, signal) =>
    metrics.dialled(
      labels,
      () => dialConnectProxy(route, signal),
      (socket) => connectThrough(socket, { route, place, signal }),
    );
}
