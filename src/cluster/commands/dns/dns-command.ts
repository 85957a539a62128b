import { isIP } from "node:net";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { hostPort } from "../../../base/network.ts";
import { aborted } from "../../../base/on-abort.ts";
import { command } from "../../../cli/command.ts";
import { intFlag, stringFlag, stringsFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { createInformers } from "../../../client/informer/informers.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import { openClusterDns } from "../../../network/dns/cluster-dns.ts";
import { dnsPages } from "../../../network/dns/dns-pages.ts";
import { parseName } from "../../../network/dns/message/dns-name.ts";
import { type DnsServer, serveDns } from "../../../network/dns/serve/serve-dns.ts";
import { type TextServer, textServer } from "../../../platform/text-server.ts";
import { nameServersIn } from "../../node/dns-settings.ts";
import { openLog } from "../../opening/open-log.ts";

const dnsFlags = {
  kubeconfig: stringFlag({
    usage:
      "the kubeconfig `FILE` of the cluster (default: the one that kubectl uses, or the service account of a pod)",
  }),
  context: stringFlag({ usage: "the context to use (default: the current one)" }),
  address: stringsFlag({
    usage: "the addresses to listen on, over UDP and TCP; in a pod, 0.0.0.0",
    default: ["127.0.0.1"],
  }),
  port: intFlag({
    usage: "the port to listen on; 0 for any that is free. Ports below 1024 need root",
    default: 53,
  }),
  "metrics-port": intFlag({
    usage: "the port of /metrics, /ready and /health at the same addresses; 0 for none",
    default: 9153,
  }),
  "cluster-domain": stringFlag({
    usage: "the domain of the cluster, as in the configuration of its kubelets",
    default: "cluster.local",
  }),
  "resolv-conf": stringFlag({
    usage: "the `FILE` with the name servers to which other names are forwarded; empty for none",
    default: "/etc/resolv.conf",
  }),
  ttl: intFlag({
    usage: "for how many seconds clients may cache records of the cluster",
    default: 30,
  }),
};

type DnsFlags = {
  readonly address: readonly string[];
  readonly port: number;
  readonly "metrics-port": number;
  readonly "cluster-domain": string;
  readonly ttl: number;
};

/** Runs the DNS server of a cluster in the foreground until a signal stops it. */
export const dnsCommand = command({
  name: "dns",
  short: "Run the DNS server of a cluster",
  long: `Run the DNS server of a cluster in the foreground.

Nodes of "wherry up" and "wherry node --network dns" serve DNS themselves, at the address of the service
kube-system/kube-dns; they need no such server. This command is for other clusters, in a pod in the place
of CoreDNS, and for looking up names from outside of a cluster.

The server follows Services, EndpointSlices and Namespaces, and answers by the DNS-Based Service
Discovery of Kubernetes, version 1.1.0:

  SERVICE.NAMESPACE.svc.DOMAIN                  A, AAAA   the addresses of the service, or those of its
                                                          ready endpoints if it is headless
  _PORT._PROTOCOL.SERVICE.NAMESPACE.svc.DOMAIN  SRV       the number of a port that has a name
  ENDPOINT.SERVICE.NAMESPACE.svc.DOMAIN         A, AAAA   an endpoint, by its hostname (of a pod with
                                                          hostname and subdomain), or its address with dashes
  1-2-3-4.NAMESPACE.pod.DOMAIN                  A, AAAA   the address that the name tells
  4.3.2.1.in-addr.arpa, …ip6.arpa               PTR       the service or the endpoints that have an address

A service of type ExternalName is a CNAME. All other names are forwarded to the name servers of
--resolv-conf, and cached for up to 30 seconds; one that leads back to this server is not used.

While the API server is away, it answers with what it knows. /ready responds with 503 until all names
are known; until then, names of the cluster that it does not know fail instead of being absent.
Its user needs to list and watch services, endpointslices and namespaces.

Exit codes: 0 when stopped, 1 when it could not start, 2 when flags are invalid.`,
  examples: `  # Look up names of a cluster from this machine
  wherry dns --port 5353 &
  dig -p 5353 @127.0.0.1 kubernetes.default.svc.cluster.local
  dig -p 5353 @127.0.0.1 _https._tcp.kubernetes.default.svc.cluster.local SRV

  # In a pod, with the rights of its service account
  wherry dns --address 0.0.0.0`,
  flags: dnsFlags,
  async run({ flags, streams, signal }) {
    const problems = dnsProblems(flags);
    if (problems.length > 0) throw new UsageError(problems);
    const log = openLog();
    const { client, clock, random, close } = await connect({
      path: flags.kubeconfig || undefined,
      context: flags.context || undefined,
    });
    const metrics = new MetricsRegistry();
    const informers = createInformers({ client, clock, random, log });
    const listening: (DnsServer | TextServer)[] = [];
    const dns = openClusterDns({
      ...{ informers, clock, random, log, metrics, ttl: flags.ttl },
      ...{ domain: flags["cluster-domain"], addresses: flags.address.filter(isPlace) },
      servers: async () =>
        (await nameServersIn(flags["resolv-conf"])).map((address) => ({ address, port: 53 })),
      isOwn: ({ address, port }) =>
        listening[0]?.port === port &&
        flags.address.some((own) => own === address || !isPlace(own)),
    });
    try {
      for (const address of flags.address) {
        const { port } = flags;
        const server = await serveDns({ address, port, log, answer: dns.answer });
        listening.push(server);
        streams.stdout.write(`listening on ${hostPort(address, server.port)}\n`);
        const metricsPort = flags["metrics-port"];
        if (metricsPort !== 0)
          listening.push(
            await textServer({ address, port: metricsPort, answer: dnsPages(dns, metrics) }),
          );
      }
      await Promise.race([dns.synced(), aborted(signal)]);
      if (!signal.aborted) streams.stdout.write("ready\n");
      await aborted(signal);
    } finally {
      await Promise.all(listening.map((one) => one.close()));
      dns.close();
      informers.close();
      close();
    }
    return 0;
  },
});

/** Whether an address is that of a place, and not of all interfaces. */
const isPlace = (address: string): boolean => address !== "0.0.0.0" && address !== "::";

/** What is wrong with the values of flags. */
export function dnsProblems(flags: DnsFlags): string[] {
  const isPort = (port: number): boolean => port >= 0 && port <= 65_535;
  return [
    ...(flags.address.length === 0 ? ["--address must name an address"] : []),
    ...flags.address
      .filter((address) => isIP(address) === 0)
      .map((address) => `--address: "${address}" is not an IP address`),
    ...(["port", "metrics-port"] as const)
      .filter((name) => !isPort(flags[name]))
      .map((name) => `--${name} must be between 0 and 65535`),
    ...(parseName(flags["cluster-domain"]) === undefined
      ? [`--cluster-domain: "${flags["cluster-domain"]}" is not a name of a domain`]
      : []),
    ...(flags.ttl < 0 || flags.ttl > 3600 ? ["--ttl must be between 0 and 3600"] : []),
  ];
}
