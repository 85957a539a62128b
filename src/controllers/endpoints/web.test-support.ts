import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { Cluster } from "../../testing/cluster.ts";

type ClientOf = Pick<Cluster, "client" | "clock">;

export const webLabels = { app: "web" };

export interface WebPod {
  readonly name: string;
  readonly ip?: string;
  readonly ips?: readonly string[];
  readonly node?: string;
  readonly ready?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/** A node, in a zone if one is given, with processors if a number is given. */
export async function addNode(
  { client }: ClientOf,
  name: string,
  { zone, cpu }: { readonly zone?: string; readonly cpu?: number } = {},
): Promise<void> {
  const labels = { ...(zone && { "topology.kubernetes.io/zone": zone }) };
  await client.create(Node, { metadata: { name, labels } });
  await client.patch(
    Node,
    { name },
    {
      merge: {
        status: {
          ...(cpu && { allocatable: { cpu: `${cpu}` } }),
          conditions: [{ type: "Ready", status: "True" }],
        },
      } as never,
    },
    { subresource: "status" },
  );
}

/** A pod that runs on a node, as a kubelet would tell of it. */
export async function addPod(cluster: ClientOf, pod: WebPod): Promise<void> {
  const { name, node = "n1", ready = true, labels = webLabels, spec = {} } = pod;
  const { ip = "10.1.0.1", ips = [ip] } = pod;
  await cluster.client.create(Pod, {
    metadata: { name, labels },
    spec: { nodeName: node, containers: [{ name: "web", image: "web" }], ...spec } as never,
  });
  const status = {
    phase: "Running" as const,
    podIP: ips[0],
    podIPs: ips.map((one) => ({ ip: one })),
    conditions: [readyCondition(cluster, ready)],
  };
  await setStatus(cluster, name, status);
}

export async function setReady(cluster: ClientOf, name: string, ready: boolean): Promise<void> {
  await setStatus(cluster, name, { conditions: [readyCondition(cluster, ready)] });
}

export async function setStatus({ client }: ClientOf, name: string, status: object): Promise<void> {
  await client.patch(Pod, { name }, { strategic: { status } as never }, { subresource: "status" });
}

const readyCondition = ({ clock }: ClientOf, ready: boolean) => ({
  type: "Ready",
  status: ready ? ("True" as const) : ("False" as const),
  lastTransitionTime: formatTime(timeFromMillis(clock.now())),
});
