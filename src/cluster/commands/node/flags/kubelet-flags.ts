import { boolFlag, durationFlag, intFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import { setMember } from "../../../../schema/json/strict-json.ts";
import { formatDuration } from "../../../../schema/values/duration.ts";
import { parseCidr } from "../../../../schema/values/ip.ts";
import { isDns1123Label } from "../../../../schema/values/names.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { OptionFlag } from "../../../flags/option-flag.ts";
import { type ServerFlag, section } from "../../../flags/server-flag.ts";
import { type NetworkPartName, networkPartNames } from "../../../node/network-part-names.ts";
import { readNodeIps } from "./node-ips.ts";
import { nodeLabelNote, nodeLabelProblems } from "./node-labels.ts";
import { formatPairs } from "./notations.ts";

/** The settings of a kubelet that belong to one node, and are not part of its configuration. */
export interface KubeletFlags {
  /** The folders of the embedded engine. */
  readonly dataDir: string;
  readonly runDir: string;
  /** The OCI runtime of the embedded engine: a path, or a name on the PATH. */
  readonly ociRuntime: string;
  /** OCI runtimes of the embedded engine beside it, by the handlers of runtime classes. */
  readonly ociRuntimes: Readonly<Record<string, string>>;
  /** The folder of CNI configurations, and those of the plugins. */
  readonly cniConfDir: string;
  readonly cniBinDir: readonly string[];
  /** The parts of the cluster's network that the node provides. */
  readonly network: readonly NetworkPartName[];
  /** The ranges of the addresses of nodes to whose pods others route. */
  readonly routedNodes: readonly string[];
  /** The kubeconfig file of the API server; empty for a kubelet without one. */
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string;
  readonly hostnameOverride: string;
  readonly nodeIp: string;
  readonly certDir: string;
  readonly cloudProvider: string;
  readonly rootDir: string;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly imageCredentialProviderConfig: string;
  readonly imageCredentialProviderBinDir: string;
  readonly runtimeCgroups: string;
  readonly lockFile: string;
  readonly exitOnLockContention: boolean;
  readonly minimumContainerTtlMs: number;
  readonly maximumDeadContainersPerContainer: number;
  readonly maximumDeadContainers: number;
  readonly mounterPath: string;
  readonly allocatableIgnoresEviction: boolean;
}

/** A flag that sets the setting with this name. */
function kubeletFlag<Name extends keyof KubeletFlags>(
  name: Name,
  flag: ServerFlag<KubeletFlags[Name]>,
  problems?: OptionFlag<KubeletFlags[Name], KubeletFlags>["problems"],
): OptionFlag<KubeletFlags[Name], KubeletFlags> {
  return {
    ...flag,
    sets: (value) => ({ [name]: value }) as never,
    ...(problems && { problems }),
  };
}

/** Handlers are names as those of runtime classes; that of runc is taken. */
const ociRuntimeProblems = (runtimes: KubeletFlags["ociRuntimes"]): string[] =>
  Object.entries(runtimes).flatMap(([handler, program]) => {
    if (program === "") return [`the OCI runtime of ${quote(handler)} is empty`];
    if (handler === "runc") return [`the handler ${quote(handler)} is the engine's own`];
    return isDns1123Label(handler).length === 0
      ? []
      : [`${quote(handler)} cannot be a handler of runtime classes`];
  });

const useEviction =
  "Use --eviction-hard or --eviction-soft instead. Will be removed in a future version.";

/** The flags that are no fields of KubeletConfiguration. */
export const kubeletFlags = {
  ...section("Wherry flags", {
    "data-dir": kubeletFlag(
      "dataDir",
      stringFlag({
        usage: "the `FOLDER` of the engine in this process: images, containers and volumes",
        default: "/var/lib/wherry/engine",
      }),
    ),
    "run-dir": kubeletFlag(
      "runDir",
      stringFlag({
        usage: "its `FOLDER` that does not survive a reboot, for sockets and namespaces",
        default: "/run/wherry/engine",
      }),
    ),
    "oci-runtime": kubeletFlag(
      "ociRuntime",
      stringFlag({
        usage: "the OCI runtime of the engine: a `PROGRAM` on the PATH, or its path",
        default: "runc",
      }),
      (program) => (program === "" ? ["the OCI runtime is empty"] : []),
    ),
    "oci-runtimes": kubeletFlag(
      "ociRuntimes",
      {
        usage:
          "OCI runtimes of the engine beside that one, as HANDLER=PROGRAM,…: runtime classes name the handlers",
        type: "mapStringString",
        default: {},
        shownDefault: "",
        read: readPairs,
        format: (runtimes) => formatPairs(runtimes, "="),
      },
      ociRuntimeProblems,
    ),
    "cni-conf-dir": kubeletFlag(
      "cniConfDir",
      stringFlag({
        usage:
          "the `FOLDER` of CNI configurations: while it has a valid one, the first by name connects pods instead of the built-in network",
        default: "/etc/cni/net.d",
      }),
    ),
    "cni-bin-dir": kubeletFlag(
      "cniBinDir",
      stringsFlag({
        usage: "the `FOLDERS` of CNI plugins",
        default: ["/opt/cni/bin", "/usr/lib/cni"],
      }),
    ),
    network: kubeletFlag(
      "network",
      stringsFlag({
        usage: `the parts of the cluster's network that this node provides: ${networkPartNames.join(", ")}`,
        default: [],
      }) as ServerFlag<readonly NetworkPartName[]>,
      (names) =>
        names
          .filter((name) => !networkPartNames.includes(name))
          .map((name) => `unknown part of the network ${quote(name)}`),
    ),
    "routed-nodes": kubeletFlag(
      "routedNodes",
      stringsFlag({
        usage:
          "the `RANGES` of addresses of nodes to whose pods, as to those of this node, others route; the pods of other nodes are reached through VXLAN (default: all nodes, if --pod-cidr is given)",
        default: [],
      }),
      (ranges) =>
        ranges
          .filter((range) => parseCidr(range) === undefined)
          .map((range) => `${quote(range)} is not a range of addresses`),
    ),
  }),
  ...section("Flags", {
    config: stringFlag({
      usage: `the \`FILE\` with a KubeletConfiguration (kubelet.config.k8s.io/v1beta1); flags override its fields`,
    }),
    "config-dir": stringFlag({
      usage:
        "the `FOLDER` with files *.conf, whose fields override those of --config, in the order of their names",
    }),
    kubeconfig: kubeletFlag(
      "kubeconfig",
      stringFlag({
        usage:
          "the kubeconfig `FILE` with the API server and the credentials of the node; without it only static pods run",
      }),
    ),
    "bootstrap-kubeconfig": kubeletFlag(
      "bootstrapKubeconfig",
      stringFlag({
        usage:
          "the kubeconfig `FILE` with which a client certificate is requested if there is no file --kubeconfig, which is then written",
      }),
    ),
    "hostname-override": kubeletFlag(
      "hostnameOverride",
      stringFlag({ usage: "the `NAME` of the node, instead of the name of the machine" }),
    ),
    "node-ip": kubeletFlag(
      "nodeIp",
      stringFlag({
        usage:
          "the `IP` of the node, or one of each family separated by a comma (default: the IPv4 address of the default route, else the IPv6 address; :: prefers IPv6)",
      }),
      (text) => {
        const { problem } = readNodeIps(text);
        return problem === undefined ? [] : [`bad --node-ip ${quote(text)}: ${problem}`];
      },
    ),
    "cert-dir": kubeletFlag(
      "certDir",
      stringFlag({
        usage: "the `FOLDER` of certificates, unless --tls-cert-file is given",
        default: "/var/lib/kubelet/pki",
      }),
    ),
    "cloud-provider": kubeletFlag(
      "cloudProvider",
      stringFlag({
        usage: "external, if a cloud provider initializes the node; empty if there is none",
      }),
      (provider) =>
        provider === "" || provider === "external"
          ? []
          : [
              `cloud provider ${quote(provider)} was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
            ],
    ),
    "root-dir": kubeletFlag(
      "rootDir",
      stringFlag({ usage: "the `FOLDER` of pods and their volumes", default: "/var/lib/kubelet" }),
    ),
    "seccomp-default": boolFlag({
      usage: "whether RuntimeDefault is the default seccomp profile, also if the file says no",
    }),
    "node-labels": kubeletFlag(
      "nodeLabels",
      {
        usage: `the labels with which the node is registered, as KEY=VALUE,…; ${nodeLabelNote}`,
        type: "mapStringString",
        default: {},
        shownDefault: "",
        read: readPairs,
        format: (labels) => formatPairs(labels, "="),
      },
      nodeLabelProblems,
    ),
    "runtime-cgroups": kubeletFlag(
      "runtimeCgroups",
      stringFlag({ usage: "the cgroup that the runtime is moved to" }),
    ),
    "image-credential-provider-config": kubeletFlag(
      "imageCredentialProviderConfig",
      stringFlag({
        usage:
          "the `FILE` with a CredentialProviderConfig (kubelet.config.k8s.io/v1), or a folder of files *.json, *.yaml and *.yml",
      }),
    ),
    "image-credential-provider-bin-dir": kubeletFlag(
      "imageCredentialProviderBinDir",
      stringFlag({ usage: "the `FOLDER` with the executables of credential providers" }),
    ),
    "lock-file": kubeletFlag(
      "lockFile",
      stringFlag({ usage: "the `FILE` that is locked while the kubelet runs" }),
    ),
    "exit-on-lock-contention": kubeletFlag(
      "exitOnLockContention",
      boolFlag({ usage: "whether the kubelet ends when another process waits for --lock-file" }),
    ),
  }),
  ...section("Deprecated flags", {
    "minimum-container-ttl-duration": kubeletFlag(
      "minimumContainerTtlMs",
      durationFlag({
        usage: "how long a container that has ended is kept at least",
        deprecated: useEviction,
        hidden: false,
      }),
      (ms) =>
        ms < 0
          ? [
              `invalid minimum garbage collection age: ${formatDuration(BigInt(Math.round(ms * 1e6)))}`,
            ]
          : [],
    ),
    "maximum-dead-containers-per-container": kubeletFlag(
      "maximumDeadContainersPerContainer",
      intFlag({
        usage: "how many earlier instances of a container are kept",
        default: 1,
        deprecated: useEviction,
        hidden: false,
      }),
    ),
    "maximum-dead-containers": kubeletFlag(
      "maximumDeadContainers",
      intFlag({
        usage: "how many containers that have ended are kept on the node; negative for no limit",
        default: -1,
        deprecated: useEviction,
        hidden: false,
      }),
    ),
    "experimental-mounter-path": kubeletFlag(
      "mounterPath",
      stringFlag({
        usage: "the program that mounts volumes",
        deprecated: "will be removed in 1.25 or later. in favor of using CSI.",
        hidden: false,
      }),
    ),
    "experimental-allocatable-ignore-eviction": kubeletFlag(
      "allocatableIgnoresEviction",
      boolFlag({
        usage: "whether allocatable resources include what hard eviction thresholds keep free",
        deprecated: "will be removed in 1.25 or later.",
        hidden: false,
      }),
    ),
  }),
};

/** Pairs separated by commas, such as labels; a key without a value has an empty one. */
function readPairs(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = { ...before };
  for (const pair of text.split(",").filter((part) => part !== "")) {
    const at = pair.indexOf("=");
    const key = at < 0 ? pair : pair.slice(0, at);
    setMember(labels, key.trim(), at < 0 ? "" : pair.slice(at + 1).trim());
  }
  return labels;
}
