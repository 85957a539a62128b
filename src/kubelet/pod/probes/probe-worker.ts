import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Probe } from "../../../api/core/v1/container/probe.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { isPodReady, timeOf } from "../../../api/core/v1/pod/pod-state.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import { abortReason } from "../../../base/abort-reason.ts";
import { type Timer, ticksOf } from "../../../base/clock.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { ProbeSeries } from "./probe-metrics.ts";
import type { ProbeKind, ProbeResult } from "./probe-results.ts";
import { ProbeTicker } from "./probe-ticker.ts";
import { idOf } from "./probed-statuses.ts";
import type { ProbeAnswer } from "./prober.ts";
import { runProbe } from "./run-probe.ts";

/** What of a pod's surroundings probes need. */
export type ProbeSurroundings = Pick<PodSurroundings, "clock" | "prober" | "events" | "probing">;

export interface ProbeWorkerOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly changed: () => void;
}

/**
 * Probes a container periodically while it runs. The periods begin with the worker and go on while the container
 * restarts, as those of upstream do; only the readiness of a container that is not ready is probed at once.
 */
export class ProbeWorker {
  readonly kind: ProbeKind;
  /** The container's name. */
  readonly container: string;
  /** The ID of the probed container; empty before it exists. */
  containerId = "";
  result: ProbeResult | undefined;
  readonly #spec: Container;
  readonly #probe: Probe;
  readonly #around: ProbeSurroundings;
  readonly #changed: () => void;
  readonly #ticker: ProbeTicker;
  /** When probes are due is monotonic: a clock that is set must not stop them. */
  readonly #ticks: () => number;
  /** No probe is sent before this time. */
  readonly #firstAt: number;
  #pod: Pod;
  #podIP = "";
  /** When the initial delay of the running container is over. */
  #dueAt = Number.NEGATIVE_INFINITY;
  /** The ID of the container whose delay that is. */
  #delayed: string | undefined;
  /** Whether the container is in the state that is probed. */
  #isDue = false;
  #timer: Timer | undefined;
  #isAsking = false;
  /** Whether the next probe follows the current one at once. */
  #isTriggered = false;
  /** Aborts the current probe when the worker stops. */
  #stopping: AbortController | undefined;
  #isStopped = false;
  /** Whether the result is final until there is a new container. */
  #isOnHold = false;
  /** The latest result, and how many there were in a row; a restart of the container does not reset them. */
  #last: "success" | "failure" = "success";
  #run = 0;

  constructor(options: ProbeWorkerOptions, around: ProbeSurroundings) {
    const { pod, container, kind, probe, changed } = options;
    this.kind = kind;
    this.container = container.name;
    this.#spec = container;
    this.#probe = probe;
    this.#pod = pod;
    this.#changed = changed;
    this.#around = around;
    this.#ticks = ticksOf(around.clock);
    const now = this.#ticks();
    const periodMs = (probe.periodSeconds ?? 10) * 1000;
    this.#firstAt = now + this.#jitter(around.clock.now(), periodMs);
    const isRunning = this.#resume(pod);
    const isMissed = !isRunning && this.#firstAt === now;
    this.#ticker = new ProbeTicker(this.#firstAt + (isMissed ? periodMs : 0), periodMs);
  }

  update(pod: Pod, status: PodStatus): void {
    this.#pod = pod;
    this.#podIP = status.podIP ?? "";
    const now = this.#statusIn(status);
    const id = now?.containerID === undefined ? "" : idOf(now.containerID);
    if (id !== "" && id !== this.containerId) this.#begin(id);
    const running = now?.state?.running;
    // Before a container has started, only the startup probe runs.
    const isTurn = this.kind === "startup" ? !now?.started : now?.started === true;
    this.#isDue = Boolean(running) && isTurn && !this.#isOnHold && !this.#isStopped;
    if (!running && id !== "" && !this.#isOnHold && !this.#isStopped) this.result = "failure";
    if (!this.#isDue) {
      this.#rest();
      return;
    }
    const { initialDelaySeconds = 0 } = this.#probe;
    this.#delay(id, initialDelaySeconds * 1000, timeOf(running?.startedAt ?? undefined) ?? 0);
    if (this.kind === "readiness" && this.result !== "success") this.#trigger();
    else this.#arm();
  }

  /** Stops probing; the last result is kept, unless another is given. */
  stop(result = this.result): void {
    this.result = result;
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#isDue = false;
    this.#rest();
    this.#stopping?.abort(abortReason);
    this.#around.probing?.metrics.remove(this.#series());
  }

  /** Computes the end of the initial delay once for a container. */
  #delay(id: string, delayMs: number, startedAt: number): void {
    if (this.#delayed === id) return;
    this.#delayed = id;
    const left = startedAt + delayMs - this.#around.clock.now();
    this.#dueAt = this.#ticks() + Math.min(left, delayMs);
  }

  #statusIn({ containerStatuses = [], initContainerStatuses = [] }: PodStatus) {
    const all = [...containerStatuses, ...initContainerStatuses];
    return all.find(({ name }) => name === this.container);
  }

  /** A random part of the period, soon after the start of the kubelet. */
  #jitter(now: number, periodMs: number): number {
    const { probing } = this.#around;
    if (!probing || now - probing.startedAt >= periodMs) return 0;
    return Math.floor(probing.random.next() * periodMs);
  }

  /** Restores the result of a container that ran before the kubelet; returns whether it runs. */
  #resume(pod: Pod): boolean {
    const { probing } = this.#around;
    const known = this.#statusIn(pod.status);
    if (!known?.state?.running || known.containerID === undefined) return false;
    this.#begin(idOf(known.containerID));
    const startedAt = timeOf(known.state.running.startedAt ?? undefined) ?? 0;
    if (probing && startedAt >= probing.startedAt - restartGraceMs) return true;
    if (this.kind === "readiness" && isPodReady(pod)) this.result = "success";
    if (this.kind === "startup" && known.started) {
      this.result = "success";
      this.#isOnHold = true;
    }
    return true;
  }

  #begin(id: string): void {
    this.containerId = id;
    this.result = initial[this.kind];
    this.#isOnHold = false;
    this.#rest();
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#isTriggered = false;
  }

  /** Probes now, and then one period later, instead of at the next tick. */
  #trigger(): void {
    const now = this.#ticks();
    if (now < this.#firstAt) this.#arm();
    else if (this.#isAsking) this.#isTriggered = true;
    else {
      this.#rest();
      this.#ticker.restart(now);
      if (now >= this.#dueAt) void this.#ask();
      else this.#arm();
    }
  }

  /** Waits for the next tick after the initial delay, unless that is under way. */
  #arm(): void {
    if (this.#timer || this.#isAsking) return;
    this.#schedule(this.#ticker.from(Math.max(this.#ticks(), this.#dueAt)));
  }

  #schedule(at: number): void {
    const { clock } = this.#around;
    this.#timer = clock.setTimer(Math.max(0, at - this.#ticks()), () => {
      this.#timer = undefined;
      void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    const { prober, events, probing } = this.#around;
    const { containerId } = this;
    const began = this.#ticks();
    this.#ticker.begin(began);
    this.#isAsking = true;
    this.#stopping ??= new AbortController();
    const answer = await runProbe(
      prober,
      {
        kind: this.kind,
        probe: this.#probe,
        container: this.#spec,
        containerId,
        podIP: this.#podIP,
        signal: this.#stopping.signal,
      },
      (event) => events.container(this.#pod, this.container, event),
    );
    this.#isAsking = false;
    if (this.#isStopped) return;
    // The container that was probed is gone.
    if (containerId !== this.containerId) {
      if (this.#isDue) this.#goOn(undefined);
      return;
    }
    const before = this.result;
    if (answer) {
      const found = answer.result === "failure" ? "failure" : "success";
      probing?.metrics.observe(this.#series(), found, (this.#ticks() - began) / 1000);
      this.#weigh(found);
    }
    if (this.#isDue && !this.#isOnHold) this.#goOn(answer);
    if (before !== this.result) this.#changed();
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

  /** Sends the next probe at once or at its tick; ticks while the result cannot change are skipped. */
  #goOn(answer: ProbeAnswer | undefined): void {
    const now = this.#ticks();
    if (this.#isTriggered && this.result !== "success") {
      this.#trigger();
      return;
    }
    this.#isTriggered = false;
    const wallTime = this.#around.clock.now();
    const holdsFor = (answer?.holdsUntil ?? wallTime) - wallTime;
    const holdsUntil = now + Math.min(holdsFor, longest);
    const isSure = answer?.result === "success" && this.result === "success";
    const notBefore = Math.max(isSure ? holdsUntil : 0, this.#dueAt);
    this.#schedule(notBefore > now ? this.#ticker.from(notBefore) : this.#ticker.after(now));
  }

  #series(): ProbeSeries {
    const { name: pod = "", namespace = "", uid = "" } = this.#pod.metadata;
    return { kind: this.kind, container: this.container, pod, namespace, uid };
  }
}

const longest = 24 * 3_600_000;
/** Containers that started later than this before the kubelet are probed as if they were new. */
const restartGraceMs = 10_000;
const initial = { startup: "unknown", readiness: "failure", liveness: "success" } as const;
