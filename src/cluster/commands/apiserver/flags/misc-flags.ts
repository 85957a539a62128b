import { kinds } from "../../../../api/kinds.generated.ts";
import { formatPortRange, type PortRange } from "../../../../apiserver/allocation/port-bits.ts";
import {
  defaultServiceRange,
  usualPorts,
} from "../../../../apiserver/allocation/service-network.ts";
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
import { notNegative } from "../../../flags/option-flag.ts";
import { later, only, type ServerFlag } from "../../../flags/server-flag.ts";
import { coreFlag, flagGroup, optionFlag } from "./apiserver-flag.ts";
import { portRangeFlag } from "./port-range.ts";
import { familyProblem, serviceRanges } from "./service-range-flag.ts";

const aggregation = <T>(flag: Flag<T>): ServerFlag<T> =>
  later("the aggregation of other API servers", flag);
const peers = <T>(flag: Flag<T>): ServerFlag<T> =>
  later("passing requests on to servers of other versions", flag);
const elections = <T>(flag: Flag<T>): ServerFlag<T> =>
  later("the coordinated election of leaders", flag);

export const apiEnablementFlags = flagGroup("API enablement flags", {
  "runtime-config": optionFlag(
    valueFlag<ReadonlyMap<string, string>>({
      usage:
        "what to serve beside the stable versions, as group/version[/resource]=true or =false, or api/all, api/ga, api/beta, api/alpha",
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

export const egressFlags = flagGroup("Egress selector flags", {
  "egress-selector-config-file": later(
    "choosing the way of outgoing connections",
    stringFlag({ usage: "the `FILE` that says how others are reached" }),
  ),
});

export const miscFlags = flagGroup(
  "Misc flags",
  {
    "allow-privileged": coreFlag(
      "allowPrivileged",
      boolFlag({
        usage:
          "whether containers may be privileged; if not, pods that have such containers are invalid. kube-apiserver's own default is false, but kubeadm, kind and k3s all set true, and what they install needs it",
        default: true,
      }),
    ),
    "service-cluster-ip-range": optionFlag(
      stringFlag({
        usage:
          "the range of addresses that services are given, as 10.0.0.0/24; two of them, of IPv4 and IPv6, are separated by a comma",
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
        usage:
          "the port on all nodes under which the service kubernetes is reached, too, where it is new; 0 for none",
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
        // Only whole seconds count.
        sets: (ms) => ({ core: { eventTtlMs: Math.floor(ms / 1000) * 1000 } }),
        problems: notNegative,
      },
    ),
    "service-account-signing-key-file": optionFlag(
      stringFlag({
        usage: "the `FILE` of the private key that signs tokens, instead of the cluster's own",
      }),
      { sets: (signingKeyFile) => ({ tokens: { signingKeyFile } }) },
    ),
    "service-account-signing-endpoint": later(
      "signing by another program",
      stringFlag({ usage: "the socket of a program that signs tokens" }),
    ),
    "kubelet-certificate-authority": stringFlag({
      usage:
        "the `FILE` of the authority of kubelets' certificates (default: they are not checked)",
    }),
    "kubelet-client-certificate": stringFlag({
      usage: "the `FILE` of the certificate that is shown to kubelets",
    }),
    "kubelet-client-key": stringFlag({ usage: "the `FILE` of its private key" }),
    "kubelet-preferred-address-types": optionFlag(
      stringsFlag({
        usage: "which of a node's addresses to try, the best first",
        default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
      }),
      { sets: (preferredAddressTypes) => ({ core: { kubelet: { preferredAddressTypes } } }) },
    ),
    "kubelet-timeout": optionFlag(
      durationFlag({ usage: "how long a kubelet may take", default: 5000 }),
      { sets: (timeout) => ({ core: { kubelet: { timeout } } }) },
    ),
    "kubelet-port": only(
      [10250],
      { because: "kubelets say which port is theirs, or have the usual one" },
      intFlag({
        usage: "the port of kubelets that do not say theirs",
        default: 10250,
        deprecated: "kubelet-port is deprecated and will be removed.",
      }),
    ),
    "kubelet-read-only-port": intFlag({
      usage: "not used",
      default: 10255,
      deprecated: "kubelet-read-only-port is deprecated and will be removed.",
    }),
    "endpoint-reconciler-type": only(
      ["lease"],
      { because: "servers that share a store find each other by leases" },
      stringFlag({ usage: "how the endpoints of this server are kept", default: "lease" }),
    ),
    "apiserver-count": optionFlag(
      intFlag({
        usage: "how many servers there are",
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
    "enable-logs-handler": only(
      [false],
      { because: "there is nothing at /logs" },
      boolFlag({
        usage: "whether /logs is served",
        deprecated: "Log handler functionality is deprecated",
      }),
    ),
    "max-connection-bytes-per-sec": only(
      [0],
      { because: "connections are not slowed down" },
      intFlag({ usage: "how many bytes a second a connection may take; 0 for any number" }),
    ),
    "proxy-client-cert-file": aggregation(
      stringFlag({ usage: "the `FILE` of the certificate that is shown to other API servers" }),
    ),
    "proxy-client-key-file": aggregation(stringFlag({ usage: "the `FILE` of its private key" })),
    "enable-aggregator-routing": only(
      [false],
      { because: "other API servers are not aggregated yet" },
      boolFlag({ usage: "whether other API servers are reached by their pods' addresses" }),
    ),
    "aggregator-reject-forwarding-redirect": only(
      [true],
      { because: "other API servers are not aggregated yet" },
      boolFlag({ usage: "whether redirects of other API servers are refused", default: true }),
    ),
    "peer-ca-file": peers(stringFlag({ usage: "the `FILE` of the authority of other servers" })),
    "peer-advertise-ip": peers(
      stringFlag({ usage: "the address other servers reach this one by" }),
    ),
    "peer-advertise-port": peers(stringFlag({ usage: "the port other servers reach this one by" })),
    "coordinated-leadership-lease-duration": elections(
      durationFlag({ usage: "how long a leader leads without renewing", default: 15_000 }),
    ),
    "coordinated-leadership-renew-deadline": elections(
      durationFlag({ usage: "how long a leader tries to renew", default: 10_000 }),
    ),
    "coordinated-leadership-retry-period": elections(
      durationFlag({ usage: "how often to try", default: 2000 }),
    ),
  },
  {
    problems(flags: MiscValues) {
      const problems: string[] = [];
      const port = flags["kubernetes-service-node-port"];
      const range = flags["service-node-port-range"];
      if (port > 0 && (port < range.first || port > range.last))
        problems.push(
          `kubernetes service node port range ${formatPortRange(range)} doesn't contain ${port}`,
        );
      if ((flags["kubelet-client-certificate"] === "") !== (flags["kubelet-client-key"] === ""))
        problems.push(
          "--kubelet-client-certificate and --kubelet-client-key belong together: give both, or neither",
        );
      return [...serviceRangeProblems(flags), ...problems];
    },
    async sets(flags: MiscValues) {
      return { core: { kubelet: await kubeletTls(flags) } };
    },
  },
);

/** What the group looks at, beside flags that stand alone. */
interface MiscValues {
  readonly "advertise-address": string;
  readonly "service-cluster-ip-range": string;
  readonly "service-node-port-range": PortRange;
  readonly "kubernetes-service-node-port": number;
  readonly "kubelet-certificate-authority": string;
  readonly "kubelet-client-certificate": string;
  readonly "kubelet-client-key": string;
}

function serviceRangeProblems(flags: MiscValues): string[] {
  const ranges = serviceRanges(flags["service-cluster-ip-range"]);
  if ("problems" in ranges) return ranges.problems;
  const [first] = ranges;
  const advertised = parseIp(flags["advertise-address"]);
  return first && advertised && advertised.bits !== 0n ? familyProblem(first, advertised) : [];
}

/** The certificates by which the server and kubelets know each other. */
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
