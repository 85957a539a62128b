import type { LabelSelector } from "../../api/meta/v1/label-selector.ts";
import type {
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../api/networking/v1/network-policy-spec.ts";

/**
 * A state of a cluster with the pods a, b and c in each of the namespaces x, y and z, and which of them reach which.
 * Pods listen at 80 and 81 with TCP and UDP; these ports have names such as `serve-80-tcp`.
 */
export interface PolicyState {
  readonly policies: Readonly<Record<string, Partial<NetworkPolicySpec>>>;
  /** Labels of namespaces and pods beside `ns` and `pod`, which are their names. */
  readonly labels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Lines such as `-* x/a` (nobody reaches x/a) and `+y/* x/a 80/TCP` (but namespace y does, at this port). The last
   * line about two pods holds; without one, they reach each other. A last word is the family.
   */
  readonly reach: readonly string[];
}

/** The states that a case goes through. */
export type PolicyCase = readonly [title: string, ...states: PolicyState[]];

const all: LabelSelector = {};
const pod = (...names: string[]): LabelSelector =>
  names.length === 1
    ? { matchLabels: { pod: names[0] ?? "" } }
    : { matchExpressions: [{ key: "pod", operator: "In", values: names }] };
const ns = (name: string): LabelSelector => ({ matchLabels: { ns: name } });
const expression = (key: string, operator: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, values }],
});
const pods = (podSelector: LabelSelector): NetworkPolicyPeer => ({ podSelector });
const namespaces = (namespaceSelector: LabelSelector): NetworkPolicyPeer => ({ namespaceSelector });
const podsIn = (namespaceSelector: LabelSelector, podSelector: LabelSelector) => ({
  ...{ namespaceSelector, podSelector },
});
const block = (cidr: string, ...except: string[]): NetworkPolicyPeer => ({
  ipBlock: { cidr, ...(except.length > 0 && { except }) },
});
const port = (value: number | string, protocol = "TCP"): NetworkPolicyPort => ({
  ...{ port: value, protocol },
});
const ingress = (
  podSelector: LabelSelector,
  ...rules: NonNullable<NetworkPolicySpec["ingress"]>
) => ({
  ...{ podSelector, policyTypes: ["Ingress"], ingress: rules },
});
const egress = (
  podSelector: LabelSelector,
  ...rules: NonNullable<NetworkPolicySpec["egress"]>
) => ({
  ...{ podSelector, policyTypes: ["Egress"], egress: rules },
});
const both = (podSelector: LabelSelector) => ({ podSelector, policyTypes: ["Ingress", "Egress"] });

/** The policies that Kubernetes' tests of network plugins try, by the subject of each. */
export const upstreamCases: readonly PolicyCase[] = [
  ["ingress is denied by default", { policies: { "x/p": ingress(all) }, reach: ["-* x/*"] }],
  [
    "everything is denied by default",
    { policies: { "x/p": both(all) }, reach: ["-* x/*", "-x/* *"] },
  ],
  [
    "a pod selector allows pods of the own namespace",
    {
      policies: { "x/p": ingress(pod("a"), { from: [pods(pod("b"))] }) },
      reach: ["-* x/a", "+x/b x/a"],
    },
  ],
  [
    "a second policy allows ingress to one pod",
    {
      policies: {
        "x/deny": ingress(all),
        "x/p": ingress(pod("a"), { from: [podsIn(all, all)] }),
      },
      reach: ["-* x/*", "+* x/a"],
    },
  ],
  [
    "an empty namespace selector allows pods of all namespaces",
    {
      policies: { "x/p": ingress(pod("a"), { from: [namespaces({ matchLabels: {} })] }) },
      reach: [],
    },
  ],
  [
    "a namespace selector allows another namespace only",
    {
      policies: { "x/p": ingress(pod("a"), { from: [namespaces(ns("y"))] }) },
      reach: ["-* x/a", "+y/* x/a"],
    },
  ],
  [
    "a pod selector has expressions",
    {
      policies: { "x/p": ingress(pod("a"), { from: [pods(expression("pod", "In", "b"))] }) },
      reach: ["-* x/a", "+x/b x/a"],
    },
  ],
  [
    "a namespace selector has expressions",
    {
      policies: { "x/p": ingress(pod("a"), { from: [namespaces(expression("ns", "In", "y"))] }) },
      reach: ["-* x/a", "+y/* x/a"],
    },
  ],
  [
    "pods match one of a pod selector and a namespace selector",
    {
      policies: {
        "x/p": ingress(pod("a"), {
          from: [namespaces(expression("ns", "NotIn", "x")), pods(pod("b"))],
        }),
      },
      reach: ["-x/* x/a", "+x/b x/a"],
    },
  ],
  [
    "pods match a pod selector and a namespace selector",
    {
      policies: {
        "x/p": ingress(pod("a"), { from: [podsIn(expression("ns", "NotIn", "x"), pod("b"))] }),
      },
      reach: ["-* x/a", "+y/b x/a", "+z/b x/a"],
    },
  ],
  [
    "several pods of several namespaces match",
    {
      policies: {
        "x/p": ingress(pod("a"), {
          from: [podsIn(expression("ns", "NotIn", "x"), pod("b", "c"))],
        }),
      },
      reach: ["-x/* x/a", "-y/a x/a", "-z/a x/a"],
    },
  ],
  [
    "pods match any of several pod selectors",
    {
      policies: { "x/p": ingress(pod("a"), { from: [pods(pod("b")), pods(pod("c"))] }) },
      reach: ["-* x/a", "+x/b x/a", "+x/c x/a"],
    },
  ],
  [
    "one pod of another namespace matches",
    {
      policies: { "x/p": ingress(pod("a"), { from: [podsIn(ns("y"), pod("a"))] }) },
      reach: ["-* x/a", "+y/a x/a"],
    },
  ],
  [
    "a rule is about one port",
    {
      policies: {
        "x/p": ingress(pod("a"), { from: [namespaces(ns("y"))], ports: [port(81)] }),
      },
      reach: ["-* x/a", "+y/* x/a 81/TCP"],
    },
  ],
  [
    "policies of the same pods add up",
    {
      policies: {
        "x/p81": ingress(pod("a"), { from: [namespaces(ns("y"))], ports: [port(81)] }),
      },
      reach: ["-* x/a", "+y/* x/a 81/TCP"],
    },
    {
      policies: {
        "x/p81": ingress(pod("a"), { from: [namespaces(ns("y"))], ports: [port(81)] }),
        "x/p80": ingress(pod("a"), { from: [namespaces(ns("y"))], ports: [port(80)] }),
      },
      reach: ["-* x/a", "+y/* x/a 81/TCP", "+y/* x/a 80/TCP"],
    },
  ],
  ["an empty rule allows everything", { policies: { "x/p": ingress(all, {}) }, reach: [] }],
  [
    "ingress is allowed at a named port",
    {
      policies: { "x/p": ingress(all, { ports: [port("serve-81-tcp")] }) },
      reach: ["-* x/*", "+* x/* 81/TCP"],
    },
  ],
  [
    "ingress from a namespace is allowed at a named port",
    {
      policies: {
        "x/p": ingress(pod("a"), {
          ...{ from: [namespaces(ns("y"))], ports: [port("serve-80-tcp")] },
        }),
      },
      reach: ["-* x/a", "+y/* x/a 80/TCP"],
    },
  ],
  [
    "egress is allowed to a named port",
    {
      policies: { "x/p": egress(all, { ports: [port("serve-80-tcp")] }) },
      reach: ["-x/* *", "+x/* * 80/TCP"],
    },
  ],
  [
    "a policy is updated",
    { policies: { "x/p": ingress(all, {}) }, reach: [] },
    { policies: { "x/p": ingress(all) }, reach: ["-* x/*"] },
  ],
  [
    "the labels of a namespace are updated",
    {
      policies: {
        "x/p": ingress(pod("a"), { from: [namespaces({ matchLabels: { ns2: "updated" } })] }),
      },
      reach: ["-* x/a"],
    },
    {
      policies: {
        "x/p": ingress(pod("a"), { from: [namespaces({ matchLabels: { ns2: "updated" } })] }),
      },
      labels: { y: { ns2: "updated" } },
      reach: ["-* x/a", "+y/* x/a"],
    },
  ],
  [
    "the labels of a pod that is allowed are updated",
    {
      policies: {
        "x/p": ingress(pod("a"), { from: [pods({ matchLabels: { pod2: "updated" } })] }),
      },
      reach: ["-* x/a"],
    },
    {
      policies: {
        "x/p": ingress(pod("a"), { from: [pods({ matchLabels: { pod2: "updated" } })] }),
      },
      labels: { "x/b": { pod2: "updated" } },
      reach: ["-* x/a", "+x/b x/a"],
    },
  ],
  [
    "pods of other namespaces are denied",
    {
      policies: { "x/p": ingress(all, { from: [pods({ matchLabels: {} })] }) },
      reach: ["-y/* x/*", "-z/* x/*"],
    },
  ],
  [
    "the labels of a pod are updated so that it is isolated",
    { policies: { "x/p": ingress({ matchLabels: { target: "isolated" } }) }, reach: [] },
    {
      policies: { "x/p": ingress({ matchLabels: { target: "isolated" } }) },
      labels: { "x/a": { target: "isolated" } },
      reach: ["-* x/a"],
    },
  ],
  ["egress of a pod is denied", { policies: { "x/p": egress(pod("a")) }, reach: ["-x/a *"] }],
  ["egress of a namespace is denied", { policies: { "x/p": egress(all) }, reach: ["-x/* *"] }],
  [
    "a policy is about ingress and egress",
    {
      policies: {
        "x/p": {
          ...{ podSelector: pod("a"), policyTypes: ["Egress", "Ingress"] },
          ingress: [{ from: [pods(pod("b"))] }],
          egress: [{ ports: [port(80)] }],
        },
      },
      reach: ["-* x/a", "+x/b x/a", "-x/a *", "+x/a * 80/TCP"],
    },
  ],
  [
    "egress is denied although the server allows it",
    {
      policies: {
        "x/out": egress(pod("a"), { to: [podsIn(ns("y"), pod("a"))] }),
        "y/in-a": ingress(pod("a"), { from: [podsIn(ns("x"), pod("a"))] }),
        "y/in-b": ingress(pod("b"), { from: [podsIn(ns("x"), pod("a"))] }),
      },
      reach: ["-x/a *", "-* y/a", "-* y/b", "+x/a y/a"],
    },
  ],
  [
    "egress is allowed to one pod of another namespace",
    {
      policies: { "x/p": egress(pod("a"), { to: [podsIn(ns("y"), pod("a"))] }) },
      reach: ["-x/a *", "+x/a y/a"],
    },
  ],
  [
    "all ports of one protocol are allowed",
    {
      policies: { "x/p": ingress(pod("a"), { ports: [{ protocol: "TCP" }] }) },
      reach: ["-* x/a", "+* x/a 80/TCP", "+* x/a 81/TCP"],
    },
  ],
  [
    "a policy that allows all ingress prevails",
    {
      policies: { "x/p": ingress(all, { ports: [port(80)] }) },
      reach: ["-* x/*", "+* x/* 80/TCP"],
    },
    {
      policies: { "x/p": ingress(all, { ports: [port(80)] }), "x/all": ingress(all, {}) },
      reach: [],
    },
  ],
  [
    "a policy that allows all egress prevails",
    {
      policies: { "x/p": egress(all, { ports: [port(80)] }) },
      reach: ["-x/* *", "+x/* * 80/TCP"],
    },
    {
      policies: { "x/p": egress(all, { ports: [port(80)] }), "x/all": egress(all, {}) },
      reach: [],
    },
  ],
  [
    "policies are deleted",
    { policies: { "x/p": both(all) }, reach: ["-* x/*", "-x/* *"] },
    { policies: {}, reach: [] },
  ],
  [
    "egress is allowed to a block",
    {
      policies: { "x/p": egress(pod("a"), { to: [block("10.9.0.5/32"), block("fd09::5/128")] }) },
      reach: ["-x/a *", "+x/a y/b"],
    },
  ],
  [
    "egress is allowed to a block with an exception, which another policy allows",
    {
      policies: {
        "x/p": egress(pod("a"), {
          to: [block("10.0.0.0/8", "10.9.0.2/32"), block("fd00::/8", "fd09::2/128")],
        }),
      },
      reach: ["-x/a x/b"],
    },
    {
      policies: {
        "x/p": egress(pod("a"), {
          to: [block("10.0.0.0/8", "10.9.0.2/32"), block("fd00::/8", "fd09::2/128")],
        }),
        "x/q": egress(pod("a"), { to: [block("10.9.0.2/32"), block("fd09::2/128")] }),
      },
      reach: [],
    },
    {
      policies: { "x/p": egress(pod("a"), { to: [block("10.9.0.2/32"), block("fd09::2/128")] }) },
      reach: ["-x/a *", "+x/a x/b"],
    },
  ],
  [
    "ingress and egress of a pod are independent",
    { policies: { "x/out": egress(pod("a"), {}) }, reach: [] },
    { policies: { "x/out": egress(pod("a"), {}), "x/in": ingress(pod("a")) }, reach: ["-* x/a"] },
  ],
  [
    "a rule about SCTP allows neither TCP nor UDP",
    {
      policies: { "x/deny": ingress(all), "x/p": ingress(pod("a"), { ports: [port(81, "SCTP")] }) },
      reach: ["-* x/*"],
    },
  ],
  [
    "a rule about SCTP isolates its pods",
    {
      policies: { "x/p": ingress(pod("a"), { ports: [port(80, "SCTP")] }) },
      reach: ["-* x/a"],
    },
  ],
  [
    "a rule about UDP does not allow TCP",
    {
      policies: { "x/p": ingress(pod("a"), { ports: [port(81, "UDP")] }) },
      reach: ["-* x/a", "+* x/a 81/UDP"],
    },
  ],
  [
    "a namespace is selected by the label with its name",
    {
      policies: {
        "x/p": ingress(pod("a"), {
          from: [namespaces({ matchLabels: { "kubernetes.io/metadata.name": "y" } })],
        }),
      },
      reach: ["-* x/a", "+y/* x/a"],
    },
  ],
  [
    "a namespace is not selected by the label with its name",
    {
      policies: {
        "x/p": egress(pod("a"), {
          to: [namespaces(expression("kubernetes.io/metadata.name", "NotIn", "y"))],
        }),
      },
      reach: ["-x/a y/*"],
    },
  ],
  [
    "a rule is about one UDP port",
    {
      policies: {
        "x/p": ingress(pod("a"), { from: [namespaces(ns("y"))], ports: [port(81, "UDP")] }),
      },
      reach: ["-* x/a", "+y/* x/a 81/UDP"],
    },
  ],
];

/** The examples of Kubernetes' page about network policies, with the addresses and ports of these pods. */
export const documentedCases: readonly PolicyCase[] = [
  [
    "blocks with exceptions, namespaces and pods may come in at a port; a block may be reached at another",
    {
      policies: {
        "x/p": {
          ...{ podSelector: pod("a"), policyTypes: ["Ingress", "Egress"] },
          ingress: [
            {
              from: [block("10.9.0.4/30", "10.9.0.6/32"), namespaces(ns("z")), pods(pod("b"))],
              ports: [port(80)],
            },
          ],
          egress: [{ to: [block("10.9.0.0/29"), block("fd09::/125")], ports: [port(81)] }],
        },
      },
      reach: [
        ...[
          "-* x/a",
          "+y/a x/a 80/TCP 4",
          "+y/b x/a 80/TCP 4",
          "+z/* x/a 80/TCP",
          "+x/b x/a 80/TCP",
        ],
        ...["-x/a *", "+x/a x/* 81/TCP", "+x/a y/* 81/TCP", "+x/a z/a 81/TCP"],
      ],
    },
  ],
  ["deny all ingress", { policies: { "x/p": ingress(all) }, reach: ["-* x/*"] }],
  ["allow all ingress", { policies: { "x/d": ingress(all), "x/p": ingress(all, {}) }, reach: [] }],
  ["deny all egress", { policies: { "x/p": egress(all) }, reach: ["-x/* *"] }],
  ["allow all egress", { policies: { "x/d": egress(all), "x/p": egress(all, {}) }, reach: [] }],
  ["deny all", { policies: { "x/p": both(all) }, reach: ["-* x/*", "-x/* *"] }],
  [
    "a range of ports may be reached",
    {
      policies: {
        "x/p": egress(pod("a"), {
          to: [block("10.9.0.0/24"), block("fd09::/64")],
          ports: [{ protocol: "TCP", port: 70, endPort: 80 }],
        }),
      },
      reach: ["-x/a *", "+x/a * 80/TCP"],
    },
  ],
  [
    "several namespaces are selected by a label",
    {
      policies: { "x/p": egress(pod("a"), { to: [namespaces(expression("ns", "In", "y", "z"))] }) },
      reach: ["-x/a x/*"],
    },
  ],
  [
    "without types, a policy is about ingress, and with egress rules about both",
    {
      policies: {
        "x/p": { podSelector: pod("a") },
        "y/p": { podSelector: pod("a"), egress: [{}] },
      },
      reach: ["-* x/a", "-* y/a"],
    },
  ],
];
