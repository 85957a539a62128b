import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";
import { type Clock, ticksOf } from "../../base/clock.ts";
import { newTerminations } from "../metrics/new-terminations.ts";
import type { WorkerMetrics, WorkerOperation } from "../metrics/worker-metrics.ts";
import type { PodStage } from "./pod-worker.ts";

/** Measures the steps of a pod's worker and how long the pod takes to start, and counts containers that end. */
export class WorkerTimes {
  readonly #metrics: WorkerMetrics | undefined;
  readonly #clock: Clock;
  readonly #trace: TraceStep | undefined;
  readonly #createdAt: number;
  /** When the pod was seen for the first time, until it runs. */
  #seenAt: number | undefined;
  #pulledMs = 0;
  #next: WorkerOperation = "create";

  constructor(metrics: WorkerMetrics | undefined, clock: Clock, trace?: TraceStep) {
    this.#metrics = metrics;
    this.#trace = trace;
    this.#clock = clock;
    this.#createdAt = clock.now();
  }

  /** The worker starts. A pod that ran before the kubelet started is not measured. */
  begin({ spec, status }: Pod): void {
    const waited = Math.max(0, this.#clock.now() - this.#createdAt);
    this.#metrics?.began(spec.containers?.length ?? 0, waited / 1000);
    if (status.startTime === undefined) this.#seenAt = this.#clock.now();
  }

  /** The pod itself has changed. */
  changed(): void {
    if (this.#next === "sync") this.#next = "update";
  }

  /** The pod has waited for an image. */
  pulled(ms: number): void {
    this.#pulledMs += ms;
  }

  /** Takes a step of a pod at a stage. */
  async step(stage: PodStage, pod: Pod, work: () => Promise<void>): Promise<void> {
    if (stage === "finished") return work();
    const run = this.#traced(pod, stage === "sync" ? this.#next : stage, work);
    if (!this.#metrics) return run();
    const end = { terminating: "kill", terminated: "terminated", ended: "terminated" } as const;
    const operation = { ...end, sync: this.#next }[stage];
    this.#next = "sync";
    const ticks = ticksOf(this.#clock);
    const began = ticks();
    try {
      await run();
    } finally {
      this.#metrics.stepped(operation as WorkerOperation, (ticks() - began) / 1000);
    }
  }

  /** The step as a span of a trace, if there are traces. */
  #traced(pod: Pod, stage: TracedStage, work: () => Promise<void>): () => Promise<void> {
    const trace = this.#trace;
    return trace ? () => trace({ pod, stage }, work) : work;
  }

  /** The pod has a new status. */
  said({ metadata, spec }: Pod, status: PodStatus, previous: PodStatus): void {
    if (this.#metrics) newTerminations(previous, status).forEach(this.#metrics.terminated);
    const { phase } = status;
    if (phase !== "Running" || this.#seenAt === undefined) return;
    const now = this.#clock.now();
    const created = Date.parse(`${metadata.creationTimestamp ?? ""}`);
    const sinceCreation = Number.isNaN(created) ? 0 : Math.max(0, now - created);
    this.#metrics?.started((now - this.#seenAt) / 1000, {
      sinceCreation: sinceCreation / 1000,
      preparing: (this.#pulledMs + initMs(status)) / 1000,
      isStateful: (spec.volumes ?? []).some((volume) => !quickVolumes.some((kind) => volume[kind])),
    });
    this.#seenAt = undefined;
  }
}

/** Runs a step of a pod's worker, and makes a span of it. */
export type TraceStep = (
  step: { readonly pod: Pod; readonly stage: TracedStage },
  work: () => Promise<void>,
) => Promise<void>;

export type TracedStage = WorkerOperation | PodStage;

/** How long the init containers of a pod have run. */
const initMs = ({ initContainerStatuses = [] }: PodStatus): number =>
  initContainerStatuses.reduce((sum, { state }) => {
    const { startedAt, finishedAt } = state?.terminated ?? {};
    const ms = Date.parse(`${finishedAt ?? ""}`) - Date.parse(`${startedAt ?? ""}`);
    return sum + (Number.isNaN(ms) ? 0 : Math.max(0, ms));
  }, 0);

/** Volumes that a kubelet provides on its own. */
const quickVolumes = ["secret", "configMap", "downwardAPI", "emptyDir", "projected"] as const;
