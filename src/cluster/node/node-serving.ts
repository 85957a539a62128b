import { Node } from "../../api/core/v1/node/node.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import { openServingCertificate } from "../../kubelet/host/certificates/open-serving-certificate.ts";
import type { KeyPair } from "../../platform/pki/pki.ts";
import { selfSigned } from "../../platform/pki/self-signed.ts";
import type { KubeletServers } from "./api/open-kubelet-servers.ts";
import type { NodeApiServer } from "./connect-node.ts";

export interface NodeServingOptions {
  readonly nodeName: string;
  readonly configuration: KubeletConfiguration;
  /** The directory of certificates that the kubelet makes or requests. */
  readonly certDir: string;
  readonly api: Pick<NodeApiServer, "client" | "informers">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The certificate of a kubelet's API if it is not in files that others manage. */
export interface NodeServing {
  /** The certificate at this moment. */
  pair(): KeyPair;
  /** Has servers use each new certificate. */
  renews(servers: Pick<KubeletServers, "renew">): void;
  close(): Promise<void>;
}

/**
 * Opens the serving certificate of a node: with `serverTLSBootstrap` one that the cluster issues for the addresses of
 * the node, else a self-signed one. Until one is issued, the kubelet serves with one that nobody trusts.
 */
export async function openNodeServing(options: NodeServingOptions): Promise<NodeServing> {
  const { nodeName, configuration, api, clock } = options;
  const { serverTLSBootstrap, tlsCertFile = "", tlsPrivateKeyFile = "" } = configuration;
  const { informers } = api;
  const isRequested = Boolean(serverTLSBootstrap) && informers !== undefined;
  if (tlsCertFile !== "" && !isRequested) return inFiles;
  const certificate = await openServingCertificate({
    ...options,
    hostname: nodeName,
    files: tlsCertFile === "" ? undefined : { cert: tlsCertFile, key: tlsPrivateKeyFile },
    client: isRequested ? api.client : undefined,
  });
  const untrusted = selfSigned({ name: nodeName, ips: [], now: new Date(clock.now()) });
  const follow = ({ status }: Node): void => certificate.setAddresses(status.addresses ?? []);
  const nodes = informers?.of(Node, { fieldSelector: `metadata.name=${nodeName}` });
  nodes?.addHandler({ added: follow, updated: follow });
  return {
    pair: () => certificate.current() ?? untrusted,
    renews: (servers) => void certificate.onChange(() => servers.renew()),
    async close() {
      nodes?.close();
      await certificate.close();
    },
  };
}

/** The servers read the files of the configuration, and follow their changes. */
const inFiles: NodeServing = {
  pair: () => ({ cert: "", key: "" }),
  renews() {},
  close: async () => {},
};
