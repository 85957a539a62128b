import { ticksOf } from "../../base/clock.ts";
import type { NetworkEnvironment } from "../network-part.ts";
import { ClusterRecords } from "./cluster/cluster-records.ts";
import { type FollowedCluster, followCluster } from "./cluster/follow-cluster.ts";
import { createForwarder, type ForwarderOptions } from "./forward/forwarder.ts";
import type { DnsMessage } from "./message/dns-message.ts";
import { foldCase, nameText, parseName } from "./message/dns-name.ts";
import { addressBytes } from "./message/make-record.ts";
import { type Answered, answerQuery } from "./serve/answer-query.ts";
import { type DnsMetrics, dnsMetrics } from "./serve/dns-metrics.ts";
import type { DnsClient } from "./serve/serve-dns.ts";

export interface ClusterDnsOptions
  extends Pick<NetworkEnvironment, "informers" | "clock" | "random" | "log" | "metrics">,
    Pick<ForwarderOptions, "servers" | "isOwn"> {
  /** The domain of the cluster, such as `cluster.local`. */
  readonly domain: string;
  /** The addresses at which clients find the server, which records name. */
  readonly addresses: readonly string[];
  /** Seconds for which records may be cached. */
  readonly ttl?: number | undefined;
}

/** DNS of a cluster, without the sockets. */
export interface ClusterDns extends Pick<FollowedCluster, "synced" | "hasSynced"> {
  answer(query: DnsMessage, client: DnsClient): DnsMessage | Promise<DnsMessage>;
  close(): void;
}

/** As long as in clusters of kubeadm. */
const usualTtl = 30;

/** Follows a cluster and answers queries; what is not the cluster's is forwarded. */
export function openClusterDns(options: ClusterDnsOptions): ClusterDns {
  const { clock, informers, random } = options;
  const name = parseName(options.domain);
  if (name === undefined) throw new Error(`${options.domain} is not a name of a domain`);
  const records = new ClusterRecords(() => clock.now());
  const cluster = followCluster(informers, records);
  const metrics = dnsMetrics(options.metrics);
  const forwarder = createForwarder({ ...options, metrics });
  const sources = {
    ...{ records, forwarder, random },
    isSynced: () => cluster.hasSynced,
    zone: {
      name: foldCase(name),
      servers: options.addresses.flatMap((address) => addressBytes(address) ?? []),
      ttl: options.ttl ?? usualTtl,
    },
  };
  const ticks = ticksOf(clock);
  const counting = { metrics, zone: nameText(foldCase(name)) };
  return {
    get hasSynced() {
      return cluster.hasSynced;
    },
    synced: (how) => cluster.synced(how),
    answer(query, client) {
      const began = ticks();
      const answering = answerQuery(query, sources);
      const done = (answered: Answered): DnsMessage => {
        count(answered, { ...counting, client, seconds: (ticks() - began) / 1000 });
        return answered.response;
      };
      return answering instanceof Promise ? answering.then(done) : done(answering);
    },
    close() {
      forwarder.close();
      cluster.close();
    },
  };
}

interface Counting {
  readonly metrics: DnsMetrics;
  readonly zone: string;
  readonly client: DnsClient;
  readonly seconds: number;
}

function count(
  { response, isOfCluster }: Answered,
  { metrics, zone, client: { protocol, address }, seconds }: Counting,
): void {
  const { questions, code } = response;
  const family = address.includes(":") ? "2" : "1";
  const type = questions[0]?.type ?? 0;
  metrics.served({ protocol, family, zone: isOfCluster ? zone : ".", type, code, seconds });
}
