import type { Server } from "node:http";
import type { NetworkEnvironment, NetworkPart } from "../network-part.ts";
import {
  adjustConntrack,
  conntrackRecord,
  defaultConntrackSettings,
} from "./conntrack-settings.ts";
import { closePages, healthPages, servePages } from "./proxy-pages.ts";
import { openServiceProxy, type ServiceProxyOptions } from "./service-proxy.ts";

export interface NodeProxyOptions extends NetworkEnvironment, Pick<ServiceProxyOptions, "kernel"> {
  /** The folder in which former settings of the kernel are recorded; without it, they are not changed. */
  readonly dataDir?: string | undefined;
  /** Where load balancers ask for the health of the node; kube-proxy's address by default. */
  readonly healthAddress?: string | undefined;
}

/** The service proxy as a part of a node's agent, with the health pages that load balancers of clouds ask for. */
export async function openNodeProxy(options: NodeProxyOptions): Promise<NetworkPart> {
  const { metrics, clock, log, dataDir, healthAddress: address = "0.0.0.0:10256" } = options;
  const proxy = openServiceProxy({
    ...options,
    // Only rules make sure that the kernel tracks connections.
    replaced: async () => {
      if (dataDir === undefined) return;
      const record = conntrackRecord(dataDir);
      await adjustConntrack(defaultConntrackSettings, { record, log });
    },
  });
  // Another proxy of this machine may have the port; services work without it.
  const server: Server | undefined = await servePages(
    address,
    healthPages({ proxy, metrics, clock }),
  ).catch((error: unknown) => {
    log.error("serving the health of the service proxy failed", error, { address });
    return undefined;
  });
  return {
    async close() {
      if (server) closePages(server);
      await proxy.close();
    },
  };
}
