import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Probe } from "../../../api/core/v1/container/probe.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../../api/core/v1/pod/pod-state.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import type { Timer } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { ProbeKind, ProbeResult } from "./probe-results.ts";
import { idOf } from "./probed-statuses.ts";
import type { ProbeAnswer } from "./prober.ts";

export interface ProbeWorkerOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly changed: () => void;
}

/** Probes a container periodically while it runs. */
export class ProbeWorker {
  readonly kind: ProbeKind;
  /** The container's name. */
  readonly container: string;
  /** The ID of the probed container; empty before it exists. */
  containerId = "";
  result: ProbeResult | undefined;
  readonly #spec: Container;
  readonly #probe: Probe;
  readonly #around: PodSurroundings;
  readonly #changed: () => void;
  #pod: Pod;
  #podIP = "";
  #startedAt = 0;
  #timer: Timer | undefined;
  #isAsking = false;
  #isStopped = false;
  /** Whether the result is final until there is a new container. */
  #isOnHold = false;
  #last: "success" | "failure" | undefined;
  #run = 0;

  constructor(options: ProbeWorkerOptions, around: PodSurroundings) {
    this.kind = options.kind;
    this.container = options.container.name;
    this.#spec = options.container;
    this.#probe = options.probe;
    this.#pod = options.pod;
    this.#changed = options.changed;
    this.#around = around;
    this.#resume(options.pod.status);
  }

  update(pod: Pod, status: PodStatus): void {
    this.#pod = pod;
    this.#podIP = status.podIP ?? "";
    const now = this.#statusIn(status);
    const id = now?.containerID === undefined ? "" : idOf(now.containerID);
    if (id !== "" && id !== this.containerId) this.#begin(id);
    if (!now?.state?.running) {
      this.#rest();
      if (this.containerId !== "" && now?.state?.terminated) this.result = "failure";
      return;
    }
    this.#startedAt = timeOf(now.state.running.startedAt ?? undefined) ?? 0;
    // Before a container has started, only the startup probe runs.
    const isDue = this.kind === "startup" ? !now.started : now.started === true;
    if (!isDue || this.#isOnHold || this.#isStopped) this.#rest();
    else if (!this.#timer && !this.#isAsking) this.#schedule(this.#firstDelay());
  }

  /** Stops probing; the last result is kept, unless another is given. */
  stop(result = this.result): void {
    this.#isStopped = true;
    this.result = result;
    this.#rest();
  }

  #statusIn({ containerStatuses = [], initContainerStatuses = [] }: PodStatus) {
    const all = [...containerStatuses, ...initContainerStatuses];
    return all.find(({ name }) => name === this.container);
  }

  /** Restores the result of a container that ran before: a restart of the kubelet does not reset it. */
  #resume(status: PodStatus): void {
    const known = this.#statusIn(status);
    if (!known?.state?.running || known.containerID === undefined) return;
    this.#begin(idOf(known.containerID));
    if (this.kind === "readiness" && known.ready) this.result = "success";
    if (this.kind !== "startup" || !known.started) return;
    this.result = "success";
    this.#isOnHold = true;
  }

  #begin(id: string): void {
    this.containerId = id;
    this.result = initial[this.kind];
    this.#isOnHold = false;
    this.#last = undefined;
    this.#run = 0;
    this.#rest();
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #firstDelay(): number {
    const { initialDelaySeconds = 0 } = this.#probe;
    return Math.max(0, this.#startedAt + initialDelaySeconds * 1000 - this.#around.clock.now());
  }

  #schedule(ms: number): void {
    const { clock } = this.#around;
    this.#timer = clock.setTimer(ms, () => {
      this.#timer = undefined;
      void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    const { containerId } = this;
    this.#isAsking = true;
    const answer = await this.#answer();
    this.#isAsking = false;
    if (this.#isStopped || containerId !== this.containerId) return;
    const before = this.result;
    if (answer) this.#weigh(answer.result === "failure" ? "failure" : "success");
    if (!this.#isOnHold) this.#schedule(this.#pause(answer));
    if (before !== this.result) this.#changed();
  }

  /** Runs the probe with retries after errors; undefined without a result. */
  async #answer(): Promise<ProbeAnswer | undefined> {
    const { prober, events } = this.#around;
    const request = {
      kind: this.kind,
      probe: this.#probe,
      container: this.#spec,
      containerId: this.containerId,
      podIP: this.#podIP,
    };
    const record = (reason: string, message: string): void =>
      events.container(this.#pod, this.container, { type: "Warning", reason, message });
    let fault: unknown;
    for (let tries = 0; tries < mostTries; tries++) {
      try {
        const answer = await prober.probe(request);
        if (answer.result === "failure")
          record("Unhealthy", `${title[this.kind]} probe failed: ${answer.output}`);
        if (answer.result === "warning")
          record("ProbeWarning", `${title[this.kind]} probe warning: ${answer.output}`);
        return answer;
      } catch (error) {
        fault = error;
      }
    }
    const why = errorMessage(fault);
    record("Unhealthy", `${title[this.kind]} probe errored and resulted in unknown state: ${why}`);
    return undefined;
  }

  #weigh(found: "success" | "failure"): void {
    this.#run = found === this.#last ? this.#run + 1 : 1;
    this.#last = found;
    const { failureThreshold = 3, successThreshold = 1 } = this.#probe;
    if (this.#run < (found === "failure" ? failureThreshold : successThreshold)) return;
    this.result = found;
    const isFinal = this.kind === "startup" || (this.kind === "liveness" && found === "failure");
    if (!isFinal) return;
    this.#isOnHold = true;
    this.#run = 0;
  }

  /** The time until the next probe: one period, or several while the result cannot change. */
  #pause(answer: ProbeAnswer | undefined): number {
    const period = (this.#probe.periodSeconds ?? 10) * 1000;
    const { holdsUntil = 0 } = answer ?? {};
    if (answer?.result !== "success" || this.result !== "success") return period;
    const left = Math.min(holdsUntil - this.#around.clock.now(), longest);
    return Math.max(1, Math.ceil(left / period)) * period;
  }
}

const mostTries = 3;
const longest = 24 * 3_600_000;
const title = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;
const initial = { startup: "unknown", readiness: "failure", liveness: "success" } as const;
