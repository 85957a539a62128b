import type { LabelSelector } from "../../api/meta/v1/label-selector.ts";
import type {
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../api/networking/v1/network-policy-spec.ts";
import { contains, parseCidr, parseIp } from "../../schema/values/ip.ts";
import type { PolicyPod } from "./policy-pod.ts";

/** The objects of a cluster, as lists. */
export interface World {
  readonly pods: ReadonlyMap<string, PolicyPod>;
  readonly namespaces: ReadonlyMap<string, Labels>;
  readonly policies: ReadonlyMap<string, WorldPolicy>;
}

export interface WorldPolicy {
  readonly namespace: string;
  readonly spec: NetworkPolicySpec;
}

type Labels = Readonly<Record<string, string>>;

/** A packet of who opens a connection. */
export interface Request {
  readonly source: string;
  readonly destination: string;
  readonly protocol: string;
  readonly port: number;
}

/** Whether a node lets a connection pass: the words of the API, read one by one. */
export function isAllowed(world: World, request: Request): boolean {
  const from = podAt(world, request.source);
  const to = podAt(world, request.destination);
  // A pod always reaches itself.
  if (request.source === request.destination) return true;
  return sideAllows("Egress", from) && sideAllows("Ingress", to);

  function sideAllows(type: "Ingress" | "Egress", subject: PolicyPod | undefined): boolean {
    // Each node enforces for its own pods.
    if (!subject?.isLocal) return true;
    const selecting = [...world.policies.values()].filter(
      ({ namespace, spec }) =>
        namespace === subject.namespace &&
        typesOf(spec).includes(type) &&
        matches(spec.podSelector ?? {}, subject.labels),
    );
    if (selecting.length === 0) return true;
    const peerAddress = type === "Ingress" ? request.source : request.destination;
    return selecting.some(({ namespace, spec }) => {
      const rules =
        type === "Ingress"
          ? (spec.ingress ?? []).map(({ from: peers = [], ports = [] }) => ({ peers, ports }))
          : (spec.egress ?? []).map(({ to: peers = [], ports = [] }) => ({ peers, ports }));
      return rules.some(
        ({ peers, ports }) =>
          (peers.length === 0 || peers.some((one) => isPeer(one, namespace, peerAddress))) &&
          (ports.length === 0 || ports.some((one) => isPort(one))),
      );
    });
  }

  function isPeer(peer: NetworkPolicyPeer, namespace: string, address: string): boolean {
    const { ipBlock, podSelector, namespaceSelector } = peer;
    if (ipBlock) {
      const { cidr, except = [] } = ipBlock;
      return isIn(cidr, address) && !except.some((one) => isIn(one, address));
    }
    const pod = podAt(world, address);
    if (!pod) return false;
    if (podSelector && !matches(podSelector, pod.labels)) return false;
    if (!namespaceSelector) return pod.namespace === namespace;
    const labels = world.namespaces.get(pod.namespace);
    return labels !== undefined && matches(namespaceSelector, labels);
  }

  function isPort({ protocol = "TCP", port, endPort }: NetworkPolicyPort): boolean {
    if (protocol !== request.protocol) return false;
    if (port === undefined) return true;
    if (typeof port === "number") return request.port >= port && request.port <= (endPort ?? port);
    return (to?.ports ?? []).some(
      (one) => one.name === port && one.protocol === protocol && one.number === request.port,
    );
  }
}

/** The pod that has an address: of several, one that is not being deleted, then the one that was created last. */
function podAt({ pods }: World, address: string): PolicyPod | undefined {
  const having = [...pods.values()].filter(({ addresses }) =>
    addresses.some(({ text }) => text === address),
  );
  const rank = ({ isTerminating, createdAt, uid }: PolicyPod): string =>
    `${isTerminating ? 0 : 1} ${createdAt} ${uid}`;
  return having.toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1))[0];
}

function typesOf({ policyTypes = [], egress = [] }: NetworkPolicySpec): readonly string[] {
  if (policyTypes.length > 0) return policyTypes;
  return egress.length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}

function isIn(cidr: string, address: string): boolean {
  const block = parseCidr(cidr);
  const ip = parseIp(address);
  return block !== undefined && ip !== undefined && contains(block, ip);
}

function matches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Labels,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "Exists") return value !== undefined;
      if (operator === "DoesNotExist") return value === undefined;
      if (operator === "In") return value !== undefined && values.includes(value);
      return value === undefined || !values.includes(value);
    })
  );
}
