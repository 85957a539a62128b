/** What a kubelet said of a node and its containers at one time. */
export interface NodeSample {
  readonly node: Counted | undefined;
  /** By `NAMESPACE/POD`, then by container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Counted>>;
}

/** The counters of a node or a container. */
export interface Counted {
  /** When they were read, in milliseconds since the epoch. */
  readonly at: number;
  /** Absent for a node. */
  readonly startedAt?: number | undefined;
  /** The time of CPUs that was used, in seconds. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** What the kubelet says that is used of CPUs, in billionths of a core; asked for when nothing was known before. */
  readonly nanoCores?: number | undefined;
}

/** Reads the response of a kubelet's `/metrics/resource`. */
export function parseNodeSample(text: string): NodeSample {
  let node: Partial<Mutable> = {};
  const pods = new Map<string, Map<string, Partial<Mutable>>>();
  for (const line of text.split("\n")) {
    const [, name = "", labelText = "", value = "", at] = samplePattern.exec(line) ?? [];
    const family = families.get(name);
    const number = Number(value);
    if (!family || !Number.isFinite(number)) continue;
    const [owner, field] = family;
    if (owner === "node") {
      node = { ...node, [field]: number, at: Number(at ?? 0) };
      continue;
    }
    const labels = labelsOf(labelText);
    const key = `${labels.namespace}/${labels.pod}`;
    const containers = pods.get(key) ?? new Map<string, Partial<Mutable>>();
    pods.set(key, containers);
    const known = containers.get(labels.container ?? "") ?? {};
    const read =
      field === "startedAt"
        ? { startedAt: number * 1000 }
        : { [field]: number, at: Number(at ?? 0) };
    containers.set(labels.container ?? "", { ...known, ...read });
  }
  return {
    node: complete(node),
    pods: new Map(
      Array.from(pods, ([key, containers]) => [
        key,
        new Map(
          [...containers].flatMap(([name, one]) => {
            const counted = complete(one);
            return counted ? [[name, counted] as const] : [];
          }),
        ),
      ]),
    ),
  };
}

type Mutable = { -readonly [K in keyof Counted]: Counted[K] };

const families = new Map<string, readonly ["node" | "container", keyof Counted]>([
  ["node_cpu_usage_seconds_total", ["node", "cpuSeconds"]],
  ["node_memory_working_set_bytes", ["node", "memoryBytes"]],
  ["container_cpu_usage_seconds_total", ["container", "cpuSeconds"]],
  ["container_memory_working_set_bytes", ["container", "memoryBytes"]],
  ["container_start_time_seconds", ["container", "startedAt"]],
]);

const samplePattern = /^([a-z_]+)(?:\{(.*)\})? (\S+)(?: (\d+))?$/;

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );

function complete({
  at = 0,
  cpuSeconds,
  memoryBytes,
  startedAt,
}: Partial<Mutable>): Counted | undefined {
  if (cpuSeconds === undefined || memoryBytes === undefined || at === 0) return undefined;
  return { at, cpuSeconds, memoryBytes, startedAt };
}

/** The same sample with the rates of a kubelet's `/stats/summary`. */
export function withRates({ node, pods }: NodeSample, summary: Summary): NodeSample {
  const rates = new Map(
    (summary.pods ?? []).flatMap(({ podRef, containers = [] }) =>
      containers.map(({ name, cpu }) => [
        `${podRef.namespace}/${podRef.name}/${name}`,
        cpu?.usageNanoCores,
      ]),
    ),
  );
  return {
    node: node && { ...node, nanoCores: summary.node?.cpu?.usageNanoCores },
    pods: new Map(
      Array.from(pods, ([key, containers]) => [
        key,
        new Map(
          Array.from(containers, ([name, counted]) => [
            name,
            { ...counted, nanoCores: rates.get(`${key}/${name}`) },
          ]),
        ),
      ]),
    ),
  };
}

/** The parts of `/stats/summary` that are read. */
export interface Summary {
  readonly node?: { readonly cpu?: CpuStats };
  readonly pods?: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string };
    readonly containers?: readonly { readonly name: string; readonly cpu?: CpuStats }[];
  }[];
}

interface CpuStats {
  readonly usageNanoCores?: number;
}
