import type { Server } from "node:http";
import type { NetworkEnvironment, NetworkPart } from "../network-part.ts";
import { adjustConntrack, conntrackRecord, nodeConntrackSettings } from "./conntrack-settings.ts";
import {
  closePages,
  healthPages,
  type ProxyPages,
  servePages,
  statusPages,
} from "./proxy-pages.ts";
import { openServiceProxy, type ServiceProxyOptions } from "./service-proxy.ts";

export interface NodeProxyOptions extends NetworkEnvironment, Pick<ServiceProxyOptions, "kernel"> {
  /** The folder in which former settings of the kernel are recorded; without it, they are not changed. */
  readonly dataDir?: string | undefined;
  /** Where load balancers ask for the health of the node; kube-proxy's address by default. */
  readonly healthAddress?: string | undefined;
  /** Where pods of the node's network ask for the mode of the proxy; kube-proxy's address by default. */
  readonly statusAddress?: string | undefined;
}

/**
 * The service proxy as a part of a node's agent, with the health pages that load balancers of clouds ask for. Its
 * metrics are the agent's, which only authorized clients may read.
 */
export async function openNodeProxy(options: NodeProxyOptions): Promise<NetworkPart> {
  const { metrics, clock, log, dataDir } = options;
  const { healthAddress = "0.0.0.0:10256", statusAddress = "127.0.0.1:10249" } = options;
  const proxy = openServiceProxy({
    ...options,
    // Only rules make sure that the kernel tracks connections.
    replaced: async () => {
      if (dataDir === undefined) return;
      const record = conntrackRecord(dataDir);
      await adjustConntrack(nodeConntrackSettings, { record, log });
    },
  });
  // Another proxy of this machine may have the ports; services work without them.
  const serve = (address: string, pages: ProxyPages): Promise<Server | undefined> =>
    servePages(address, pages).catch((error: unknown) => {
      log.error("serving the health of the service proxy failed", error, { address });
      return undefined;
    });
  const servers = await Promise.all([
    serve(healthAddress, healthPages({ proxy, metrics, clock })),
    serve(statusAddress, statusPages),
  ]);
  return {
    async close() {
      for (const server of servers) if (server) closePages(server);
      await proxy.close();
    },
  };
}
