import { networkPartNames } from "./network-part-names.ts";
import { ownFileLimit } from "./own-process.ts";

export interface AgentCommandOptions {
  /** The program of Wherry. */
  readonly program: string;
  /** The name of the node. */
  readonly name: string;
  /** Its addresses, separated by commas. */
  readonly address: string;
  /** The ranges of the addresses of all boxes, to whose pods the machine routes. */
  readonly boxRanges: readonly string[];
}

/** The arguments of Node that run the agent of a box. */
export const agentCommand = ({
  program,
  name,
  address,
  boxRanges,
}: AgentCommandOptions): readonly string[] => [
  ...process.execArgv,
  program,
  "node",
  ...["--kubeconfig", "/var/lib/kubelet/kubeconfig"],
  ...["--config", "/var/lib/kubelet/config.yaml"],
  ...["--hostname-override", name, "--node-ip", address],
  ...["--network", networkPartNames.join(), "--routed-nodes", boxRanges.join()],
];

export interface BoxKubelet {
  readonly address: string;
  /** The cgroup above those of the box's pods. */
  readonly cgroupRoot: string;
  /** The ranges of its pods' addresses, separated by commas. */
  readonly podCIDR: string;
  /** The addresses of the cluster's DNS. */
  readonly clusterDns: readonly string[];
}

/** The configuration of the kubelet of a box. */
export const boxKubeletConfiguration = ({
  address,
  cgroupRoot,
  podCIDR,
  clusterDns,
}: BoxKubelet): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  address,
  cgroupRoot,
  podCIDR,
  cgroupDriver: "cgroupfs",
  failCgroupV1: false,
  failSwapOn: false,
  // A box leaves the limits of the machine as they are, and is not more important than it.
  oomScoreAdj: 0,
  maxOpenFiles: ownFileLimit(),
  // The API server is on the same machine.
  kubeAPIQPS: 500,
  kubeAPIBurst: 1000,
  eventRecordQPS: 500,
  eventBurst: 1000,
  clusterDomain: "cluster.local",
  clusterDNS: clusterDns,
  staticPodPath: "/etc/kubernetes/manifests",
  tlsCertFile: "/var/lib/kubelet/pki/kubelet.crt",
  tlsPrivateKeyFile: "/var/lib/kubelet/pki/kubelet.key",
  authentication: {
    x509: { clientCAFile: "/var/lib/kubelet/pki/ca.crt" },
    anonymous: { enabled: false },
    webhook: { enabled: true },
  },
  authorization: { mode: "Webhook" },
});
