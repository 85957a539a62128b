import { type Network, noNetwork } from "../../base/network.ts";

/** The networks of a server's connections, by where they go. */
export interface Egress {
  readonly direct: Network;
  /** To nodes, and to pods and services of the cluster. */
  readonly cluster: Network;
  /** To other parts of the control plane, and to all else that has a URL. */
  readonly controlPlane: Network;
}

/** Networks other than the direct one. */
export type SelectedEgress = Partial<Pick<Egress, "cluster" | "controlPlane">>;

/** The networks of a server, which are all the direct one unless others are selected. */
export function egressOf({
  network: direct = noNetwork,
  egress: { cluster = direct, controlPlane = direct } = {},
}: {
  readonly network?: Network | undefined;
  readonly egress?: SelectedEgress | undefined;
}): Egress {
  return { direct, cluster, controlPlane };
}
