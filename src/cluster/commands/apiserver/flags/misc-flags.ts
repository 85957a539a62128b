import { existsSync } from "node:fs";
import { kinds } from "../../../../api/kinds.generated.ts";
import { formatPortRange, type PortRange } from "../../../../apiserver/allocation/port-bits.ts";
import {
  defaultServiceRange,
  usualPorts,
} from "../../../../apiserver/allocation/service-network.ts";
import type { EndpointReconcilerType } from "../../../../apiserver/bootstrap/endpoint-reconciler.ts";
import type { KubeletOptions } from "../../../../apiserver/connect/kubelet-connection.ts";
import { parseRuntimeConfig } from "../../../../apiserver/objects/runtime-config.ts";
import {
  boolFlag,
  durationFlag,
  type Flag,
  intFlag,
  stringFlag,
  stringsFlag,
  valueFlag,
} from "../../../../cli/flag.ts";
import { readAuthorities, readKeyPair } from "../../../../platform/given-files.ts";
import { parseIp } from "../../../../schema/values/ip.ts";
import { readEgress } from "../../../egress/read-egress.ts";
import { notNegative } from "../../../flags/option-flag.ts";
import { refused, type ServerFlag } from "../../../flags/server-flag.ts";
import { coreFlag, flagGroup, optionFlag } from "./apiserver-flag.ts";
import { portRangeFlag } from "./port-range.ts";
import { familyProblem, serviceRanges } from "./service-range-flag.ts";

const peers = (flag: Flag<string>): ServerFlag<string> =>
  refused(
    "all servers of a cluster serve the same APIs, so that no request is passed on to another",
    flag,
    [""],
  );

/** Upstream has the feature off, too, unless its gate is set. */
const elections = (flag: Flag<number>): ServerFlag<number> => ({
  ...flag,
  usage: `${flag.usage} (without effect: the feature CoordinatedLeaderElection is off)`,
  withoutEffect: "the feature CoordinatedLeaderElection is off, and cannot be turned on",
});

export const apiEnablementFlags = flagGroup("API enablement flags", {
  "runtime-config": optionFlag(
    valueFlag<ReadonlyMap<string, string>>({
      usage:
        "API versions to enable or disable, as group/version[/resource]=true or =false, or api/all, api/ga, api/beta, api/alpha",
      type: "mapStringString",
      default: new Map(),
      read: (text, before = new Map()) => new Map([...before, ...readConfigurationMap(text)]),
      show: () => "",
    }),
    {
      problems(config) {
        try {
          parseRuntimeConfig(Object.fromEntries(config), kinds);
          return [];
        } catch (error) {
          return [(error as Error).message];
        }
      },
      sets: (config) => ({ runtimeConfig: parseRuntimeConfig(Object.fromEntries(config), kinds) }),
    },
  ),
});

export const egressFlags = flagGroup(
  "Egress selector flags",
  {
    "egress-selector-config-file": optionFlag(
      stringFlag({
        usage:
          "the `FILE` with an EgressSelectorConfiguration: through which proxies the server connects to the cluster, to etcd and to the rest of the control plane",
      }),
      {
        problems: (path) =>
          path === "" || existsSync(path)
            ? []
            : [`egress-selector-config-file ${path} does not exist`],
      },
    ),
  },
  {
    async sets({ "egress-selector-config-file": path }: { "egress-selector-config-file": string }) {
      return path === "" ? {} : { egress: await readEgress(path) };
    },
  },
);

export const miscFlags = flagGroup(
  "Misc flags",
  {
    "allow-privileged": coreFlag(
      "allowPrivileged",
      boolFlag({
        usage:
          "whether to allow privileged containers; if not, pods with such containers are rejected. kube-apiserver's default is false, but kubeadm, kind and k3s set true, because their system pods need it",
        default: true,
      }),
    ),
    "service-cluster-ip-range": optionFlag(
      stringFlag({
        usage:
          "the range of service IP addresses, such as 10.0.0.0/24; for dual stack, an IPv4 and an IPv6 range separated by a comma",
        default: defaultServiceRange,
      }),
      { sets: (serviceRange) => ({ serviceRange }) },
    ),
    "service-node-port-range": coreFlag(
      "nodePortRange",
      portRangeFlag(
        "the ports for services of type NodePort, as 30000-32767 or 30000+2767",
        usualPorts,
      ),
    ),
    "kubernetes-service-node-port": coreFlag(
      "kubernetesServiceNodePort",
      intFlag({
        usage: "the node port of the service kubernetes when it is created; 0 for none",
      }),
      (port) =>
        port < 0 || port > 65535
          ? [
              `--kubernetes-service-node-port ${port} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
            ]
          : [],
    ),
    "event-ttl": optionFlag(
      durationFlag({ usage: "how long events are kept", default: 3_600_000 }),
      {
        // Fractions of a second are ignored.
        sets: (ms) => ({ core: { eventTtlMs: Math.floor(ms / 1000) * 1000 } }),
        problems: notNegative,
      },
    ),
    "service-account-signing-key-file": optionFlag(
      stringFlag({
        usage: "the `FILE` with the private key that signs tokens, instead of the cluster's own",
      }),
      { sets: (signingKeyFile) => ({ tokens: { signingKeyFile } }) },
    ),
    "service-account-signing-endpoint": optionFlag(
      stringFlag({
        usage:
          "the `FILE` of the Unix socket of a program that signs tokens, instead of a key: it has the keys that verify them, and limits their lifetime (externaljwt v1)",
      }),
      {
        sets: (signingEndpoint) => ({ tokens: { signingEndpoint } }),
        problems: (path) =>
          path.startsWith("@")
            ? [
                "--service-account-signing-endpoint: abstract sockets are not supported, because Node.js has none; give the path of a socket",
              ]
            : [],
      },
    ),
    "kubelet-certificate-authority": stringFlag({
      usage:
        "the `FILE` with the CA certificate of kubelets (default: their certificates are not verified)",
    }),
    "kubelet-client-certificate": stringFlag({
      usage: "the `FILE` with the client certificate for kubelets",
    }),
    "kubelet-client-key": stringFlag({ usage: "the `FILE` with its private key" }),
    "kubelet-preferred-address-types": optionFlag(
      stringsFlag({
        usage: "the types of node addresses to connect to, in order of preference",
        default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
      }),
      { sets: (preferredAddressTypes) => ({ core: { kubelet: { preferredAddressTypes } } }) },
    ),
    "kubelet-timeout": optionFlag(
      durationFlag({ usage: "the timeout of requests to kubelets", default: 5000 }),
      { sets: (timeout) => ({ core: { kubelet: { timeout } } }) },
    ),
    "kubelet-port": optionFlag(
      intFlag({
        usage: "the port of kubelets that do not publish one",
        default: 10250,
        deprecated: "kubelet-port is deprecated and will be removed.",
      }),
      { sets: (port) => ({ core: { kubelet: { port } } }) },
    ),
    "kubelet-read-only-port": intFlag({
      usage: "not used",
      default: 10255,
      deprecated: "kubelet-read-only-port is deprecated and will be removed.",
    }),
    "endpoint-reconciler-type": optionFlag(
      stringFlag({
        usage:
          "how the addresses of API servers in the endpoints of the service kubernetes are found: lease (servers that are alive), none (others maintain them), or master-count (deprecated: as many as --apiserver-count)",
        default: "lease",
      }),
      {
        problems: (type) =>
          ["", "lease", "none", "master-count"].includes(type)
            ? []
            : [`Reconciler not implemented: ${type}`],
      },
    ),
    "apiserver-count": optionFlag(
      intFlag({
        usage: "how many servers there are, for the endpoint reconciler master-count",
        default: 1,
        deprecated: "apiserver-count is deprecated and will be removed in a future version.",
      }),
      {
        problems: (count) =>
          count <= 0
            ? [`--apiserver-count should be a positive number, but value '${count}' provided`]
            : [],
      },
    ),
    "enable-logs-handler": optionFlag(
      boolFlag({
        usage:
          "whether the files of /var/log are served at /logs/, to users who may read that path",
        deprecated: "Log handler functionality is deprecated",
      }),
      { sets: (servesLogs) => ({ servesLogs }) },
    ),
    "max-connection-bytes-per-sec": optionFlag(
      intFlag({
        usage:
          "the maximum bytes per second, each way, of a connection that was upgraded: exec, attach, port-forward, proxies; 0 for no limit",
      }),
      { sets: (bytesPerSecond) => ({ core: { kubelet: { bytesPerSecond } } }) },
    ),
    "proxy-client-cert-file": stringFlag({
      usage:
        "the `FILE` with the client certificate for other API servers, as their front proxy (default: the cluster's own)",
    }),
    "proxy-client-key-file": stringFlag({ usage: "the `FILE` with its private key" }),
    "enable-aggregator-routing": optionFlag(
      boolFlag({
        usage:
          "whether to connect to other API servers by the addresses of their endpoints instead of their services'",
      }),
      { sets: (toEndpoints) => ({ core: { aggregation: { toEndpoints } } }) },
    ),
    "aggregator-reject-forwarding-redirect": optionFlag(
      boolFlag({
        usage: "whether redirects of other API servers are rejected instead of sent to clients",
        default: true,
      }),
      { sets: (rejectsRedirects) => ({ core: { aggregation: { rejectsRedirects } } }) },
    ),
    "peer-ca-file": peers(
      stringFlag({ usage: "the `FILE` with the CA certificate of other servers" }),
    ),
    "peer-advertise-ip": peers(
      stringFlag({ usage: "the address that other servers use to reach this one" }),
    ),
    "peer-advertise-port": peers(
      stringFlag({ usage: "the port that other servers use to reach this one" }),
    ),
    "coordinated-leadership-lease-duration": elections(
      durationFlag({ usage: "how long a lease is valid without renewal", default: 15_000 }),
    ),
    "coordinated-leadership-renew-deadline": elections(
      durationFlag({ usage: "how long a leader retries a renewal", default: 10_000 }),
    ),
    "coordinated-leadership-retry-period": elections(
      durationFlag({ usage: "how often to retry", default: 2000 }),
    ),
  },
  {
    problems(flags: MiscValues) {
      const problems: string[] = electionProblems(flags);
      const isSigned =
        flags["service-account-signing-key-file"] !== "" ||
        flags["service-account-key-file"].length > 0;
      if (flags["service-account-signing-endpoint"] !== "" && isSigned)
        problems.push(
          "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with `--service-account-signing-endpoint` (They are mutually exclusive)",
        );
      const port = flags["kubernetes-service-node-port"];
      const range = flags["service-node-port-range"];
      if (port > 0 && (port < range.first || port > range.last))
        problems.push(
          `kubernetes service node port range ${formatPortRange(range)} doesn't contain ${port}`,
        );
      if ((flags["kubelet-client-certificate"] === "") !== (flags["kubelet-client-key"] === ""))
        problems.push(
          "--kubelet-client-certificate and --kubelet-client-key must be given together",
        );
      if ((flags["proxy-client-cert-file"] === "") !== (flags["proxy-client-key-file"] === ""))
        problems.push(
          "--proxy-client-cert-file and --proxy-client-key-file must be given together",
        );
      return [...serviceRangeProblems(flags), ...problems];
    },
    async sets(flags: MiscValues) {
      const proxyClient = proxyClientFiles(flags);
      return {
        core: {
          endpointReconciler: reconcilerType(flags),
          kubelet: await kubeletTls(flags),
          ...(proxyClient && {
            aggregation: { proxyClient: await readKeyPair(proxyClient.cert, proxyClient.key) },
          }),
        },
        ...(proxyClient && { proxyClient }),
      };
    },
  },
);

/** The problems of the periods, in upstream's words. */
function electionProblems(flags: MiscValues): string[] {
  const [duration, deadline, period] = electionFlags.map((name) => flags[name]) as [
    number,
    number,
    number,
  ];
  const [durationFlag, deadlineFlag, periodFlag] = electionFlags;
  return [
    ...(duration <= deadline ? [`--${durationFlag} must be greater than --${deadlineFlag}`] : []),
    ...(deadline <= period ? [`--${deadlineFlag} must be greater than --${periodFlag}`] : []),
  ];
}

const electionFlags = [
  "coordinated-leadership-lease-duration",
  "coordinated-leadership-renew-deadline",
  "coordinated-leadership-retry-period",
] as const;

/** How the addresses of servers are found. */
function reconcilerType(flags: MiscValues): EndpointReconcilerType {
  const type = flags["endpoint-reconciler-type"];
  if (type === "master-count") return { by: "count", count: flags["apiserver-count"] };
  return { by: type === "none" ? "none" : "lease" };
}

/** The flag values that the group reads. */
interface MiscValues {
  readonly "advertise-address": string;
  readonly "service-account-signing-endpoint": string;
  readonly "service-account-signing-key-file": string;
  readonly "service-account-key-file": readonly string[];
  readonly "endpoint-reconciler-type": string;
  readonly "apiserver-count": number;
  readonly "coordinated-leadership-lease-duration": number;
  readonly "coordinated-leadership-renew-deadline": number;
  readonly "coordinated-leadership-retry-period": number;
  readonly "service-cluster-ip-range": string;
  readonly "service-node-port-range": PortRange;
  readonly "kubernetes-service-node-port": number;
  readonly "kubelet-certificate-authority": string;
  readonly "kubelet-client-certificate": string;
  readonly "kubelet-client-key": string;
  readonly "proxy-client-cert-file": string;
  readonly "proxy-client-key-file": string;
}

function serviceRangeProblems(flags: MiscValues): string[] {
  const ranges = serviceRanges(flags["service-cluster-ip-range"]);
  if ("problems" in ranges) return ranges.problems;
  const [first] = ranges;
  const advertised = parseIp(flags["advertise-address"]);
  return first && advertised && advertised.bits !== 0n ? familyProblem(first, advertised) : [];
}

/** The certificates by which the server and kubelets authenticate each other. */
async function kubeletTls(flags: MiscValues): Promise<Partial<KubeletOptions>> {
  const file = (flag: keyof MiscValues) => ({ flag, path: String(flags[flag]) });
  const cert = file("kubelet-client-certificate");
  const ca = file("kubelet-certificate-authority");
  const pair = cert.path === "" ? undefined : await readKeyPair(cert, file("kubelet-client-key"));
  return {
    ...(ca.path !== "" && { ca: await readAuthorities(ca) }),
    ...(pair && { clientCert: pair.cert, clientKey: pair.key }),
  };
}

/** The files of the client certificate for other API servers; undefined if flags name none. */
function proxyClientFiles(flags: MiscValues) {
  const cert = { flag: "proxy-client-cert-file", path: flags["proxy-client-cert-file"] };
  const key = { flag: "proxy-client-key-file", path: flags["proxy-client-key-file"] };
  return cert.path === "" ? undefined : { cert, key };
}

/** Reads `key=value,key`, where a key without a value has an empty one. */
function readConfigurationMap(text: string): [string, string][] {
  return text
    .split(",")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [key = "", ...value] = pair.split("=");
      return [key.trim(), value.join("=").trim()];
    });
}
