import { join, resolve } from "node:path";
import { formatIp, parseIp } from "../../schema/values/ip.ts";
import { networkPartNames } from "../node/network-part-names.ts";

/** The folders of a machine that joins. */
export interface JoinFolders {
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  /** The folders of the embedded engine. */
  readonly dataDir: string;
  readonly runDir: string;
}

/** The files that a machine has when it has joined. */
export const joinedFiles = (rootDir: string) => ({
  kubeconfig: join(rootDir, "kubeconfig"),
  /** Has a token; exists only until there is a client certificate. */
  bootstrapKubeconfig: join(rootDir, "bootstrap-kubeconfig"),
  configuration: join(rootDir, "config.yaml"),
  certDir: join(rootDir, "pki"),
  ca: join(rootDir, "pki", "ca.crt"),
});

export interface JoinedNode {
  readonly folders: JoinFolders;
  readonly nodeName: string;
  /** Further flags of `wherry node`. */
  readonly flags: readonly string[];
}

/** The arguments of `wherry node` on a machine that has joined: it provides the whole network, unless flags differ. */
export function nodeArguments({ folders, nodeName, flags }: JoinedNode): readonly string[] {
  const rootDir = resolve(folders.rootDir);
  const { kubeconfig, configuration, certDir } = joinedFiles(rootDir);
  return [
    ...["--kubeconfig", kubeconfig, "--config", configuration],
    ...["--root-dir", rootDir, "--cert-dir", certDir],
    ...["--data-dir", resolve(folders.dataDir), "--run-dir", resolve(folders.runDir)],
    ...["--hostname-override", nodeName],
    // Given twice it would be both.
    ...(flags.some(isNetwork) ? [] : ["--network", networkPartNames.join()]),
    ...flags,
  ];
}

const isNetwork = (flag: string): boolean => flag === "--network" || flag.startsWith("--network=");

export interface JoinedConfiguration {
  /** The file with the CA certificates of the cluster. */
  readonly ca: string;
  readonly clusterDns: string;
  readonly hasSystemd: boolean;
}

/** The configuration of the kubelet of a machine that joins, unless it has one. */
export const joinedConfiguration = ({
  ca,
  clusterDns,
  hasSystemd,
}: JoinedConfiguration): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  cgroupDriver: hasSystemd ? "systemd" : "cgroupfs",
  failCgroupV1: false,
  clusterDomain: "cluster.local",
  clusterDNS: [clusterDns],
  staticPodPath: "/etc/kubernetes/manifests",
  rotateCertificates: true,
  serverTLSBootstrap: true,
  authentication: {
    x509: { clientCAFile: ca },
    anonymous: { enabled: false },
    webhook: { enabled: true },
  },
  authorization: { mode: "Webhook" },
});

/** The text of a configuration, as joining writes it. */
export const configurationText = (configuration: object): string =>
  `${JSON.stringify(configuration, null, 2)}\n`;

/** The usual address of a cluster's DNS: the tenth of the range whose first one the service `kubernetes` has. */
export function usualDns(kubernetes: string): string {
  const first = parseIp(kubernetes);
  return first ? formatIp({ ...first, bits: first.bits + 9n }) : "10.0.0.10";
}
