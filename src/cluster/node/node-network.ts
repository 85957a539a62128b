import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Log } from "../../base/log.ts";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import { isStaticPod } from "../../kubelet/pod/static-pod.ts";
import { openDns } from "../../network/dns/open-dns.ts";
import type { NetworkEnvironment, NetworkPart } from "../../network/network-part.ts";
import { openNetworkPolicies } from "../../network/policies/network-policies.ts";
import { openNodeProxy } from "../../network/proxy/node-proxy.ts";
import { openRoutes } from "../../network/routes/open-routes.ts";
import { type Cidr, parseCidr } from "../../schema/values/ip.ts";
import { dnsSettings } from "./dns-settings.ts";
import type { NetworkPartName } from "./network-part-names.ts";

export interface NodeNetworkOptions extends NetworkEnvironment {
  readonly configuration: KubeletConfiguration;
  /** If others route to the pods of this node: the ranges of addresses of such nodes. */
  readonly routedNodes?: readonly string[] | undefined;
  /** Where parts record what they have changed of the machine; without it, they leave its settings alone. */
  readonly dataDir?: string | undefined;
}

type OpenPart = (options: NodeNetworkOptions) => Promise<NetworkPart>;

/** How the parts are opened. */
const opens: Readonly<Partial<Record<NetworkPartName, OpenPart>>> = {
  routes: (options) => openRoutes({ ...options, routedNodes: routedNodesOf(options) }),
  dns: (options) => openDns({ ...options, ...dnsSettings(options.configuration) }),
  proxy: openNodeProxy,
  policies: async (options) => openNetworkPolicies(options),
};

/** Who chooses the range of a node routes to it, and to all other nodes unless it is said to which. */
const routedNodesOf = ({
  routedNodes = [],
  configuration: { podCIDR = "" },
}: NodeNetworkOptions): readonly Cidr[] | undefined => {
  const ranges = routedNodes.length === 0 && podCIDR !== "" ? everywhere : routedNodes;
  return ranges.length === 0 ? undefined : ranges.flatMap((text) => parseCidr(text) ?? []);
};

const everywhere = ["0.0.0.0/0", "::/0"];

/** Opens parts of the network of a node. One that cannot be opened is logged, and the others work. */
export async function openNodeNetwork(
  names: readonly NetworkPartName[],
  options: NodeNetworkOptions,
): Promise<NetworkPart> {
  const parts = await Promise.all(
    names.map(async (name) => {
      const log = options.log.with({ part: name });
      try {
        return await opens[name]?.({ ...options, log });
      } catch (error) {
        log.error("opening a part of the node's network failed", error);
        return undefined;
      }
    }),
  );
  return {
    async podStarts(pod) {
      await Promise.all(parts.map((part) => part?.podStarts?.(pod)));
    },
    async close() {
      await Promise.all(parts.map((part) => part?.close()));
    },
  };
}

/** Has the network prepared for each pod that starts. */
export const podStarter =
  (network: Promise<NetworkPart>, log: Log) =>
  async (pod: Pod): Promise<void> => {
    const prepared = network.then(({ podStarts }) => podStarts?.(pod));
    // Static pods start without an API server, too, and therefore before it is known what selects them.
    if (!isStaticPod(pod)) return prepared;
    prepared.catch((error: unknown) =>
      log.error("preparing the network of a static pod failed", error),
    );
  };
