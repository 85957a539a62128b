import type { Clock, Timer } from "../../base/clock.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import type { PodInPreBind, WaitingPod } from "./handle.ts";
import type { PodInfo } from "./pod-info.ts";
import { type Status, status } from "./status.ts";

/** The pods of all profiles that wait for `permit`. */
export class WaitingPods {
  readonly #clock: Clock;
  readonly #pods = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets a pod wait for plugins; each has a timeout in milliseconds. */
  add(pod: PodInfo, waits: ReadonlyMap<string, number>): void {
    this.#pods.set(pod.uid, new Waiting(this.#clock, pod, waits));
  }

  get(uid: string): WaitingPod | undefined {
    return this.#pods.get(uid);
  }

  all(): readonly WaitingPod[] {
    return [...this.#pods.values()];
  }

  /**
   * Resolves with the decision: undefined if all plugins allowed the pod, or it did not have to wait.
   */
  async decision(uid: string): Promise<Status | undefined> {
    const waiting = this.#pods.get(uid);
    if (!waiting) return undefined;
    try {
      return await waiting.decided;
    } finally {
      this.#pods.delete(uid);
    }
  }

  /** Rejects all of them. */
  close(): void {
    for (const waiting of this.#pods.values()) waiting.preempt("", "the scheduler ends");
  }
}

class Waiting implements WaitingPod {
  readonly pod: PodInfo;
  readonly decided: Promise<Status | undefined>;
  /** The timeout of each plugin that has not decided yet. */
  readonly #timers = new Map<string, Timer>();
  readonly #decide: (one: Status | undefined) => void;
  #isDecided: boolean = false;

  constructor(clock: Clock, pod: PodInfo, waits: ReadonlyMap<string, number>) {
    this.pod = pod;
    let decide: (one: Status | undefined) => void = () => {};
    this.decided = new Promise((resolve) => {
      decide = resolve;
    });
    this.#decide = decide;
    for (const [plugin, ms] of waits) {
      const text = formatDuration(BigInt(Math.round(ms)) * 1_000_000n);
      const message = `rejected due to timeout after waiting ${text} at plugin ${plugin}`;
      this.#timers.set(
        plugin,
        clock.setTimer(ms, () => this.reject(plugin, message)),
      );
    }
  }

  pendingPlugins(): readonly string[] {
    return [...this.#timers.keys()];
  }

  allow(plugin: string): void {
    this.#timers.get(plugin)?.cancel();
    this.#timers.delete(plugin);
    if (this.#timers.size === 0) this.#end(undefined);
  }

  reject(plugin: string, message: string): boolean {
    return this.#end({ ...status("Unschedulable", message), plugin });
  }

  preempt(plugin: string, message: string): boolean {
    return this.#end({ ...status("Error", message), plugin, error: new Error(message) });
  }

  #end(one: Status | undefined): boolean {
    if (this.#isDecided) return false;
    this.#isDecided = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#decide(one);
    return true;
  }
}

/** Pods between permit and binding, which can still be cancelled. */
export class PodsInPreBind {
  readonly #pods = new Map<string, InPreBind>();

  add(uid: string, controller: AbortController): void {
    this.#pods.set(uid, new InPreBind(controller));
  }

  get(uid: string): PodInPreBind | undefined {
    return this.#pods.get(uid);
  }

  /** Marks the point after which a pod cannot be cancelled; returns false if it already was. */
  finish(uid: string): boolean {
    return this.#pods.get(uid)?.finish() ?? true;
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
  }
}

class InPreBind implements PodInPreBind {
  readonly #controller: AbortController;
  #isFinished: boolean = false;

  constructor(controller: AbortController) {
    this.#controller = controller;
  }

  cancel(reason: string): boolean {
    if (this.#isFinished) return false;
    this.#controller.abort(new Error(reason));
    return true;
  }

  finish(): boolean {
    if (this.#controller.signal.aborted) return false;
    this.#isFinished = true;
    return true;
  }
}
