import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import { isSidecar } from "../container/restart-policy.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { ProbeKind, ProbeResult, ProbeResults } from "./probe-results.ts";
import { ProbeWorker } from "./probe-worker.ts";

/** Runs the probes of a pod's containers. */
export class PodProbes implements ProbeResults {
  readonly #workers: ProbeWorker[] = [];

  /** `changed` is called when a result changes. */
  constructor(pod: Pod, around: PodSurroundings, changed: () => void) {
    const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar);
    for (const container of [...(pod.spec.containers ?? []), ...sidecars])
      for (const kind of kinds) {
        const probe = probeOf(container, kind);
        if (!probe) continue;
        this.#workers.push(new ProbeWorker({ pod, container, kind, probe, changed }, around));
      }
  }

  startup(containerId: string): ProbeResult | undefined {
    return this.#resultOf("startup", containerId);
  }

  readiness(containerId: string): ProbeResult | undefined {
    return this.#resultOf("readiness", containerId);
  }

  liveness(containerId: string): ProbeResult | undefined {
    return this.#resultOf("liveness", containerId);
  }

  isProbed(container: string, kind: ProbeKind): boolean {
    return this.#workers.some((worker) => worker.container === container && worker.kind === kind);
  }

  /** Passes the state of the containers: new ones are probed again, ended ones no longer. */
  update(pod: Pod, status: PodStatus): void {
    for (const worker of this.#workers) worker.update(pod, status);
  }

  /** Stops the probes that could restart a container. */
  stopRestarts(): void {
    for (const worker of this.#workers) if (worker.kind !== "readiness") worker.stop("success");
  }

  stop(): void {
    for (const worker of this.#workers) worker.stop();
  }

  #resultOf(kind: ProbeKind, containerId: string): ProbeResult | undefined {
    for (const worker of this.#workers)
      if (worker.kind === kind && worker.containerId === containerId) return worker.result;
    return undefined;
  }
}

const kinds: readonly ProbeKind[] = ["startup", "readiness", "liveness"];

const probeOf = (container: Container, kind: ProbeKind) => container[`${kind}Probe`];

/** Whether a pod has anything to probe. */
export const isProbedPod = ({ spec }: Pod): boolean =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some((container) =>
    kinds.some((kind) => probeOf(container, kind)),
  );
