import { onTestFinished } from "vitest";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
import type { NetworkPolicySpec } from "../../api/networking/v1/network-policy-spec.ts";
import { noLog } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { Client } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { type NetworkPolicies, openNetworkPolicies } from "./network-policies.ts";
import type { RunNft } from "./nft.ts";

/** The cluster of a test, with the policies of one of its nodes. */
export interface PolicyCluster {
  readonly client: Client;
  addNamespace(name: string, labels?: Readonly<Record<string, string>>): Promise<void>;
  addPod(pod: ClusterPod): Promise<void>;
  setStatus(key: string, status: object): Promise<void>;
  addPolicy(key: string, spec: Partial<NetworkPolicySpec>): Promise<void>;
  openPolicies(run: RunNft, metrics?: Metrics): NetworkPolicies;
}

export interface ClusterPod {
  /** NAMESPACE/NAME. */
  readonly key: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ips: readonly string[];
  readonly nodeName?: string;
  readonly ports?: readonly object[];
  readonly spec?: object;
}

/** The node whose policies are opened. */
export const nodeName = "here";

export async function openPolicyCluster(): Promise<PolicyCluster> {
  const cluster = await startCluster({ namespace: "default" });
  onTestFinished(() => cluster.close());
  const { client } = cluster;
  const setStatus = async (key: string, status: object): Promise<void> => {
    await client.patch(Pod, parts(key), { merge: { status } }, { subresource: "status" });
  };
  return {
    ...{ client, setStatus },
    async addNamespace(name, labels = {}) {
      await client.create(Namespace, { metadata: { name, labels } });
      await client.create(ServiceAccount, { metadata: { namespace: name, name: "default" } });
    },
    async addPod({ key, labels = {}, ips, nodeName: at = nodeName, ports = [], spec = {} }) {
      await client.create(Pod, {
        metadata: { ...parts(key), labels },
        spec: { nodeName: at, containers: [{ name: "c", image: "i", ports }], ...spec },
      } as never);
      await setStatus(key, { phase: "Running", podIPs: ips.map((ip) => ({ ip })), podIP: ips[0] });
    },
    async addPolicy(key, spec) {
      await client.create(NetworkPolicy, { metadata: parts(key), spec } as never);
    },
    openPolicies(run, metrics = noMetrics) {
      const informers = createInformers({ client, clock: realClock, random: systemRandom });
      const policies = openNetworkPolicies({
        ...{ nodeName, informers, clock: realClock, log: noLog, metrics, run },
      });
      onTestFinished(async () => {
        await policies.close();
        informers.close();
      });
      return policies;
    },
  };
}

const parts = (key: string) => {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
};
