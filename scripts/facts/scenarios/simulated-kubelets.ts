import type { Node } from "../../../src/api/core/v1/node/node.ts";
import type { Pod } from "../../../src/api/core/v1/pod/pod.ts";
import { type ApiClient, timeText } from "../api-client.ts";
import { sleep } from "../values.ts";
import type { NodeCondition, ScenarioNode } from "./scenario.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

/**
 * The nodes of all scenarios. It renews their leases, and what is bound to them runs as annotations
 * of the pod say.
 */
export class SimulatedKubelets {
  readonly #api: ApiClient;
  readonly #nodes = new Map<string, { heartbeat: boolean; readonly namespace: string }>();
  /** `UID/action` of all that was done, because a watch delivers a pod many times. */
  readonly #done = new Set<string>();
  #addresses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  start(): void {
    this.#timer = setInterval(() => {
      for (const [name, { heartbeat }] of this.#nodes)
        if (heartbeat) this.#renew(name).catch(() => {});
    }, 2000);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  namesOf(namespace: string): readonly string[] {
    return [...this.#nodes].flatMap(([name, node]) => (node.namespace === namespace ? [name] : []));
  }

  async add(namespace: string, node: ScenarioNode, seen: (name: string) => Node | undefined) {
    const name = `${namespace}-${node.name}`;
    const { heartbeat = true, ready = true } = node;
    this.#nodes.set(name, { heartbeat, namespace });
    const body = nodeObject(namespace, name, node);
    await this.#api.must({ method: "POST", path: "/api/v1/nodes", body });
    if (heartbeat) await this.#renew(name);
    await this.#api.patch(`/api/v1/nodes/${name}/status`, { status: nodeStatus(name, node) });
    for (let i = 0; ready && i < 100 && !isInitialised(seen(name)); i++) await sleep(50);
  }

  async setHeartbeat(namespace: string, name: string, heartbeat: boolean): Promise<void> {
    this.#nodes.set(name, { heartbeat, namespace });
    if (heartbeat) await this.#renew(name);
  }

  async setConditions(
    name: string,
    ready: boolean,
    conditions: readonly NodeCondition[] = [],
  ): Promise<void> {
    const given = new Set(conditions.map(({ type }) => type));
    const others = conditionsOf(ready).filter(({ type }) => !given.has(type));
    const status = { conditions: [...others, ...conditions].map(dated) };
    await this.#api.patch(`/api/v1/nodes/${name}/status`, { status });
  }

  /** Lets the last pods of a scenario go, also those on nodes that had stopped. */
  revive(namespace: string): void {
    for (const node of this.#nodes.values())
      if (node.namespace === namespace) node.heartbeat = true;
  }

  async remove(namespace: string): Promise<void> {
    for (const name of this.namesOf(namespace)) {
      this.#nodes.delete(name);
      await this.#api.delete(`/api/v1/nodes/${name}`);
      await this.#api.delete(`${leases}/${name}`);
    }
  }

  /** Acts on a pod as the kubelet of its node would. */
  async see(pod: Pod): Promise<void> {
    const node = pod.spec?.nodeName;
    if (node === undefined || !this.#nodes.get(node)?.heartbeat) return;
    if (pod.metadata?.deletionTimestamp !== undefined) return this.#stop(pod);
    if (!isFinished(pod) && this.#once(pod, "run")) await this.#run(pod);
  }

  async #stop(pod: Pod): Promise<void> {
    if (pod.metadata?.annotations?.["sim/slow-delete"] || !this.#once(pod, "delete")) return;
    await sleep(50);
    if (!isFinished(pod) && pod.spec?.restartPolicy !== "Always")
      await this.#patchStatus(pod, {
        phase: "Failed",
        containerStatuses: containerStatuses(pod, terminated(137, timeText())),
      });
    const preconditions = { uid: pod.metadata?.uid };
    await this.#api.delete(pathOf(pod), { gracePeriodSeconds: 0, preconditions });
  }

  async #run(pod: Pod): Promise<void> {
    const simulation = pod.metadata?.annotations ?? {};
    await sleep(50);
    if (simulation["sim/never-start"] === "true") return;
    const ready = simulation["sim/never-ready"] !== "true";
    const startedAt = timeText();
    const running = { ready, started: true, state: { running: { startedAt } } };
    await this.#patchStatus(pod, {
      ...this.#addressesOfPod(),
      startTime: startedAt,
      phase: "Running",
      conditions: podConditions(pod, ready),
      containerStatuses: containerStatuses(pod, running),
    });
    const code = exitCode(simulation);
    if (code === undefined) return;
    await sleep(Number(simulation["sim/after-ms"] ?? 50));
    await this.#patchStatus(pod, {
      phase: code === 0 ? "Succeeded" : "Failed",
      conditions: podConditions(pod, false).map((condition) =>
        code === 0 && condition.status === "False"
          ? { ...condition, reason: "PodCompleted" }
          : condition,
      ),
      containerStatuses: containerStatuses(pod, terminated(code, startedAt)),
    });
  }

  #addressesOfPod(): object {
    const n = ++this.#addresses;
    const ip = `10.244.${(n >> 8) & 255}.${n & 255}`;
    const hostIP = "10.99.0.1";
    return { hostIP, hostIPs: [{ ip: hostIP }], podIP: ip, podIPs: [{ ip }] };
  }

  #once(pod: Pod, action: string): boolean {
    const key = `${pod.metadata?.uid}/${action}`;
    const isNew = !this.#done.has(key);
    this.#done.add(key);
    return isNew;
  }

  #patchStatus(pod: Pod, status: object) {
    return this.#api.patch(`${pathOf(pod)}/status`, {
      metadata: { uid: pod.metadata?.uid },
      status,
    });
  }

  async #renew(name: string): Promise<void> {
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    const { status } = await this.#api.patch(`${leases}/${name}`, { spec: { renewTime } });
    if (status !== 404) return;
    const body = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
    };
    await this.#api.send({ method: "POST", path: leases, body });
  }
}

const pathOf = ({ metadata }: Pod): string =>
  `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}`;

const isFinished = ({ status }: Pod): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/** The exit code that annotations ask for; undefined where the pod runs on. */
function exitCode(simulation: Readonly<Record<string, string>>): number | undefined {
  const given = simulation["sim/exit"];
  if (given !== undefined) return Number(given);
  if (simulation["sim/succeed"] === "true") return 0;
  const index = simulation["sim/exit-index"];
  if (index === undefined) return undefined;
  return simulation["batch.kubernetes.io/job-completion-index"] === index ? 1 : 0;
}

const terminated = (exitCode: number, startedAt: string): object => {
  const reason = exitCode === 0 ? "Completed" : "Error";
  const state = { terminated: { exitCode, reason, startedAt, finishedAt: timeText() } };
  return { ready: false, started: false, state };
};

const containerStatuses = (pod: Pod, status: object): readonly object[] =>
  (pod.spec?.containers ?? []).map(({ name, image }) => ({
    name,
    image,
    imageID: "",
    restartCount: 0,
    ...status,
  }));

const kubeletConditions = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
]);

function podConditions(pod: Pod, ready: boolean) {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => !kubeletConditions.has(type));
  const gatesPass = (pod.spec?.readinessGates ?? []).every(({ conditionType }) =>
    others.some(({ type, status }) => type === conditionType && status === "True"),
  );
  const condition = (type: string, holds: boolean, reason?: string) => ({
    type,
    status: holds ? "True" : "False",
    lastProbeTime: null,
    lastTransitionTime: timeText(),
    ...(!holds && reason && { reason }),
  });
  return [
    ...others,
    condition("PodReadyToStartContainers", true),
    condition("Initialized", true),
    condition("Ready", ready && gatesPass, ready ? "ReadinessGatesNotReady" : "ContainersNotReady"),
    condition("ContainersReady", ready, "ContainersNotReady"),
  ];
}

/** Whether the controllers have done what they do to a node that is new and ready. */
const isInitialised = (node: Node | undefined): boolean =>
  node?.metadata?.annotations?.["node.alpha.kubernetes.io/ttl"] !== undefined &&
  !(node.spec?.taints ?? []).some(({ key }) => key === "node.kubernetes.io/not-ready");

const nodeObject = (
  namespace: string,
  name: string,
  { labels, taints, unschedulable }: ScenarioNode,
): object => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: {
      "kubernetes.io/hostname": name,
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "amd64",
      scenario: namespace,
      ...labels,
    },
  },
  spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
});

function nodeStatus(name: string, { ready = true, capacity }: ScenarioNode): object {
  const resources = {
    cpu: "4",
    memory: "8Gi",
    pods: "110",
    "ephemeral-storage": "100Gi",
    ...capacity,
  };
  return {
    capacity: resources,
    allocatable: resources,
    conditions: conditionsOf(ready).map(dated),
    addresses: [
      { type: "InternalIP", address: "10.99.0.1" },
      { type: "Hostname", address: name },
    ],
    nodeInfo: {
      kubeletVersion: "v1.36.4",
      architecture: "amd64",
      operatingSystem: "linux",
      bootID: "b",
      containerRuntimeVersion: "fake://1",
      kernelVersion: "6",
      kubeProxyVersion: "",
      machineID: "m",
      osImage: "fake",
      systemUUID: "s",
    },
  };
}

function dated(condition: NodeCondition): object {
  const now = timeText();
  return { ...condition, lastHeartbeatTime: now, lastTransitionTime: now };
}

const conditionsOf = (ready: boolean): readonly NodeCondition[] => [
  ready
    ? {
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "kubelet is posting ready status",
      }
    : {
        type: "Ready",
        status: "False",
        reason: "KubeletNotReady",
        message: "container runtime is down",
      },
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
];
