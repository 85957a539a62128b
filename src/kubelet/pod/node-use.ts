import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podRequests } from "../../api/core/v1/pod/pod-requests.ts";
import { parseQuantity, quantityMilliValue, quantityValue } from "../../schema/values/quantity.ts";

type PodSpec = Pod["spec"];

/** The sum of resources that the pods of a node use, updated when pods are added, changed and removed. */
export class NodeUse {
  readonly #specs = new Map<string, PodSpec>();
  readonly #amounts = new Map<string, number>();

  has(uid: string): boolean {
    return this.#specs.has(uid);
  }

  /** The number of pods. */
  get pods(): number {
    return this.#specs.size;
  }

  /** The sum of their requests for a resource. */
  amountOf(name: string): number {
    return this.#amounts.get(name) ?? 0;
  }

  /** Whether one of them uses a host port that a pod requests. */
  hasPortOf({ spec }: Pod): boolean {
    const { ports } = useOf(spec);
    return ports.length > 0 && [...this.#specs.values()].some((other) => sharePort(ports, other));
  }

  /** Adds a pod, or updates its resources. */
  take(uid: string, spec: PodSpec): void {
    this.free(uid);
    this.#specs.set(uid, spec);
    this.#count(spec, 1);
  }

  /** Updates the resources of a pod that was added. */
  retake(uid: string, spec: PodSpec): void {
    const before = this.#specs.get(uid);
    if (before && before !== spec) this.take(uid, spec);
  }

  free(uid: string): void {
    const spec = this.#specs.get(uid);
    if (!spec) return;
    this.#specs.delete(uid);
    this.#count(spec, -1);
  }

  /** The usage of all pods except one. */
  beside(uid: string): NodeUse {
    const others = new NodeUse();
    for (const [other, spec] of this.#specs) if (other !== uid) others.take(other, spec);
    return others;
  }

  #count(spec: PodSpec, sign: 1 | -1): void {
    for (const [name, amount] of useOf(spec).amounts)
      this.#amounts.set(name, this.amountOf(name) + sign * amount);
  }
}

/** The resources that a pod uses of a node. */
interface PodUse {
  readonly amounts: ReadonlyMap<string, number>;
  readonly ports: readonly HostPort[];
}

/** Cached, because it is needed when a pod is added and when it is removed. */
const uses = new WeakMap<PodSpec, PodUse>();

/** The resources that a pod with this spec uses of a node. */
export function useOf(spec: PodSpec): PodUse {
  let use = uses.get(spec);
  if (!use) {
    const requests = Object.entries(podRequests(spec));
    const amounts = new Map(requests.map(([name, text]) => [name, amountOf(name, text)]));
    use = { amounts, ports: hostPorts(spec) };
    uses.set(spec, use);
  }
  return use;
}

/** CPU in thousandths of cores, other resources in units. */
export function amountOf(name: string, text: string | undefined): number {
  if (text === undefined) return 0;
  const quantity = parseQuantity(text);
  return name === "cpu" ? quantityMilliValue(quantity) : quantityValue(quantity);
}

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

const sharePort = (ports: readonly HostPort[], spec: PodSpec): boolean =>
  ports.some(({ ip, port, protocol }) =>
    useOf(spec).ports.some(
      (other) =>
        other.port === port &&
        other.protocol === protocol &&
        (other.ip === ip || other.ip === anyAddress || ip === anyAddress),
    ),
  );

const anyAddress = "0.0.0.0";

const hostPorts = (spec: PodSpec): readonly HostPort[] =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort = 0, hostIP, protocol }) => ({
        port: hostPort,
        protocol: protocol ?? "TCP",
        ip: hostIP || anyAddress,
      })),
  );
