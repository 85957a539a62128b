import { errorMessage } from "../../base/error-message.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { type TextServer, textServer } from "../../platform/text-server.ts";
import type { NetworkEnvironment, NetworkPart } from "../network-part.ts";
import { announceDns } from "./announce-dns.ts";
import { openClusterDns } from "./cluster-dns.ts";
import { dnsPages } from "./dns-pages.ts";
import { keepListening } from "./keep-listening.ts";
import { followNodeClients } from "./node-clients.ts";
import { ensureOwnAddresses } from "./serve/own-addresses.ts";
import { serveDns } from "./serve/serve-dns.ts";
import { ensureUntracked } from "./serve/untracked-rules.ts";

export interface NodeDnsOptions extends NetworkEnvironment {
  /** The domain of the cluster. */
  readonly domain: string;
  /** The addresses of the service kube-dns, which pods use. */
  readonly addresses: readonly string[];
  /** Reads the addresses of the node's own name servers. */
  readonly nameServers: () => Promise<readonly string[]>;
}

/**
 * Serves DNS on a node: at the addresses of the service, which the node itself gets, for its pods; and at its own
 * address for nodes whose DNS is away, or that have none. It does not wait for the cluster: until it is known, names of
 * the cluster fail, and all others are forwarded.
 */
export async function openDns(options: NodeDnsOptions): Promise<NetworkPart> {
  const { domain, addresses, nodeIPs, informers, log, clock } = options;
  if (domain === "" || addresses.length === 0)
    throw new Error("the configuration of the kubelet names no clusterDomain or no clusterDNS");
  await ensureOwnAddresses(addresses);
  try {
    await ensureUntracked(addresses, dnsPort);
  } catch (error) {
    log.warn("queries to the node's DNS may be answered by other nodes", {
      reason: errorMessage(error),
    });
  }
  const metrics = new MetricsRegistry();
  const own = new Set([...addresses, ...nodeIPs]);
  const dns = openClusterDns({
    ...options,
    metrics,
    servers: async () =>
      (await options.nameServers()).map((address) => ({ address, port: dnsPort })),
    isOwn: ({ address, port }) => port === dnsPort && own.has(address),
  });
  const clients = followNodeClients(informers);
  const pages = dnsPages(dns, metrics);
  const listening = keepListening({
    ...{ clock, log },
    places: [...own].flatMap((address) => [
      {
        name: `dns ${address}`,
        listen: () =>
          serveDns({
            ...{ address, port: dnsPort, log },
            answer: (query, client) =>
              addresses.includes(address) || clients.allows(client.address)
                ? dns.answer(query, client)
                : undefined,
          }),
      },
      {
        name: `metrics ${address}`,
        listen: (): Promise<TextServer> =>
          textServer({ address, port: metricsPort, answer: pages }),
      },
    ]),
  });
  await listening.tried;
  const announcing = announceDns({ ...options, ready: dns.synced() });
  return {
    async close() {
      announcing.close();
      await listening.close();
      clients.close();
      dns.close();
    },
  };
}

const dnsPort = 53;
const metricsPort = 9153;
