import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podRequests } from "../../api/core/v1/pod/pod-requests.ts";
import { parseQuantity, quantityMilliValue, quantityValue } from "../../schema/values/quantity.ts";

type PodSpec = Pod["spec"];

/** What the pods of a node take of it together, counted as they come and go: each asks for the sum. */
export class NodeUse {
  readonly #specs = new Map<string, PodSpec>();
  readonly #amounts = new Map<string, number>();

  /** The number of pods. */
  get pods(): number {
    return this.#specs.size;
  }

  /** How much of a resource they take. */
  amountOf(name: string): number {
    return this.#amounts.get(name) ?? 0;
  }

  /** Whether one of them has a port of the node that a pod asks for. */
  hasPortOf({ spec }: Pod): boolean {
    const { ports } = useOf(spec);
    return ports.length > 0 && [...this.#specs.values()].some((other) => sharePort(ports, other));
  }

  /** A pod takes what its spec says, whatever it took before. */
  take(uid: string, spec: PodSpec): void {
    this.free(uid);
    this.#specs.set(uid, spec);
    this.#count(spec, 1);
  }

  /** One that takes something takes from now on what this spec says. */
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

  /** What the others take beside one of them. */
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

/** What a pod takes of a node. */
interface PodUse {
  readonly amounts: ReadonlyMap<string, number>;
  readonly ports: readonly HostPort[];
}

/** Asked for when a pod comes and when it goes, so it is remembered. */
const uses = new WeakMap<PodSpec, PodUse>();

/** What a pod with this spec takes of a node. */
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

/** In thousandths of cores, and else in ones. */
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
