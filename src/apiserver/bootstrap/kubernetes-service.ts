import { Service } from "../../api/core/v1/service/service.ts";
import { formatIp, masked, parseCidr } from "../../schema/values/ip.ts";
import { keyOf } from "../objects/address.ts";
import { addressOf } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { Reconciler } from "./reconcile-loop.ts";

/** The service by which pods reach the API server; its endpoints have the same name. */
export const kubernetes = { namespace: "default", name: "kubernetes" };

export interface KubernetesServiceOptions {
  /** The range of cluster IPs; of several, the first counts. */
  readonly serviceRange: string;
  /** The port that the server listens on. */
  readonly port: () => number;
  /** The node port of the service; 0 for none. */
  readonly nodePort: number;
}

/** Creates the service `kubernetes`, and creates it again if it is deleted. Changes to it are kept. */
export function kubernetesServiceReconciler(
  { reader, writer }: OwnParts,
  options: KubernetesServiceOptions,
): Reconciler[] {
  if (!reader.serves(Service)) return [];
  const key = keyOf(addressOf(Service, kubernetes));
  return [
    {
      task: "the service kubernetes",
      queue: "kubernetes_service_controller",
      kinds: [Service],
      isRelevant: ({ type, object }) => type === "DELETED" && object.key === key,
      async reconcile() {
        if (!reader.getCached(Service, kubernetes))
          await writer.ensure(Service, kubernetesService(options));
      },
    },
  ];
}

const kubernetesService = ({ serviceRange, port, nodePort }: KubernetesServiceOptions) => ({
  metadata: { ...kubernetes, labels: { component: "apiserver", provider: "kubernetes" } },
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

/** The first address of a range after that of the network itself. */
function firstAddress(ranges: string): string {
  const [range = ""] = ranges.split(",");
  const network = parseCidr(range.trim());
  if (!network) throw new Error(`${range} is not a range of addresses like 10.0.0.0/24`);
  const { ip } = masked(network);
  return formatIp({ ...ip, bits: ip.bits + 1n });
}
