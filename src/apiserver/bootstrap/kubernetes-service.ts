import { formatIp, masked, parseCidr } from "../../schema/values/ip.ts";
import { keyOf } from "../objects/address.ts";
import type { ApiObject } from "../objects/object.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Keeper } from "./follower.ts";
import { cached, ensure, placed } from "./own-work.ts";

/** The name of the service by which pods reach the API server, and of its endpoints. */
export const kubernetes = "kubernetes";

export interface KubernetesServiceOptions {
  /** The range that cluster IPs are taken from; of several, the first counts. */
  readonly serviceRange: string;
  /** The port that the server listens on. */
  readonly port: () => number;
  /** The port on all nodes under which it is reached, too; 0 for none. */
  readonly nodePort: number;
}

/** Makes the service `kubernetes`, again if somebody deletes it; how it was changed is left alone. */
export function keepKubernetesService(
  parts: VerbParts,
  options: KubernetesServiceOptions,
): Keeper[] {
  const wanted = () => placed(parts, kubernetesService(options));
  return wanted().map(({ address }) => {
    const key = keyOf(address);
    return {
      task: "keep the service kubernetes",
      queue: "kubernetes_service_controller",
      kinds: [address.kind],
      concerns: ({ type, object }) => type === "DELETED" && object.key === key,
      async sync() {
        if (cached(parts, address)) return;
        for (const item of wanted()) await ensure(parts, item);
      },
    };
  });
}

const kubernetesService = ({
  serviceRange,
  port,
  nodePort,
}: KubernetesServiceOptions): ApiObject => ({
  kind: "Service",
  apiVersion: "v1",
  metadata: {
    name: kubernetes,
    namespace: "default",
    labels: { component: "apiserver", provider: "kubernetes" },
  },
  spec: {
    type: nodePort > 0 ? "NodePort" : "ClusterIP",
    clusterIP: firstAddress(serviceRange),
    ipFamilyPolicy: "SingleStack",
    sessionAffinity: "None",
    ports: [
      {
        name: "https",
        protocol: "TCP",
        port: 443,
        targetPort: port(),
        ...(nodePort > 0 && { nodePort }),
      },
    ],
  },
});

/** The first address of a range beside that of the network itself. */
function firstAddress(ranges: string): string {
  const [range = ""] = ranges.split(",");
  const network = parseCidr(range.trim());
  if (!network) throw new Error(`${range} is not a range of addresses like 10.0.0.0/24`);
  const { ip } = masked(network);
  return formatIp({ ...ip, bits: ip.bits + 1n });
}
