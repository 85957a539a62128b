import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import {
  eventLabel,
  eventMatches,
  forceActivate,
  isWildcard,
  unschedulableTimeout,
  unscheduledPodAdd,
  unscheduledPodUpdate,
} from "../framework/cluster-event.ts";
import { podChanges } from "../framework/object-changes.ts";
import type { With } from "../framework/plugin-lists.ts";
import { type PodInfo, podInfo } from "../framework/pod-info.ts";
import {
  hasNoRejectors,
  isGated,
  noPlugins,
  type QueuedPod,
  queuedPod,
} from "../framework/queued-pod.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import { BackoffQueue } from "./backoff-queue.ts";
import { Nominator } from "./nominator.ts";
import { PodHeap } from "./pod-heap.ts";
import { type HappenedEvent, PodsInFlight } from "./pods-in-flight.ts";
import type { QueueingHints, Requeue } from "./queueing-hints.ts";
import { UnschedulablePods } from "./unschedulable-pods.ts";

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly metrics: SchedulerMetrics;
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
  /** The preEnqueue plugins of each profile. */
  readonly preEnqueue: (profile: string) => readonly With<"preEnqueue">[];
  readonly hints: QueueingHints;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  /** After this time, an unschedulable pod is retried without an event. */
  readonly maxUnschedulableMs: number;
  /** Returns the pod as the informer has it. */
  readonly current: (key: string) => Pod | undefined;
  /** Called when there may be a pod to pop. */
  readonly onReady: () => void;
}

/**
 * The pending pods, each in one part of the queue: active, backoff or unschedulable. Events during the
 * attempt of a pod are not lost.
 */
export class SchedulingQueue {
  readonly nominator: Nominator;
  readonly #options: SchedulingQueueOptions;
  readonly #active: PodHeap;
  readonly #backoff: BackoffQueue;
  readonly #unschedulable = new UnschedulablePods();
  readonly #inFlight = new PodsInFlight();
  readonly #startedAt: number;
  #backoffTimer: Timer | undefined;
  #backoffTimerAt = Number.POSITIVE_INFINITY;
  #flushTimer: Timer | undefined;
  #flushTimerAt = Number.POSITIVE_INFINITY;
  #isClosed: boolean = false;

  constructor(options: SchedulingQueueOptions) {
    const { clock, less, initialBackoffMs: initialMs, maxBackoffMs: maxMs } = options;
    this.#options = options;
    this.#active = new PodHeap(less);
    this.#backoff = new BackoffQueue({ clock, less, initialMs, maxMs });
    this.nominator = new Nominator(options.current);
    this.#startedAt = clock.now();
  }

  /** Adds a new pod. */
  add(pod: Pod): void {
    const { clock } = this.#options;
    this.#toActive(queuedPod(podInfo(pod), clock.now()), eventLabel(unscheduledPodAdd));
  }

  /** Updates a pod, wherever in the queue it is. */
  update(old: Pod, now: Pod): void {
    const { uid = "", namespace = "", name = "" } = now.metadata;
    const events = podChanges(now, old);
    if (this.#inFlight.has(uid)) {
      for (const event of events) this.#inFlight.happened({ event, old, now });
      return;
    }
    const key = `${namespace}/${name}`;
    const info = podInfo(now);
    const queued = this.#active.get(key) ?? this.#backoff.get(key);
    if (queued) {
      queued.info = info;
      if (this.#active.get(key)) this.#active.push(queued);
      else this.#backoff.update(queued);
      this.nominator.update(old, info);
      return;
    }
    const waiting = this.#unschedulable.get(key);
    if (waiting) {
      waiting.info = info;
      this.nominator.update(old, info);
      for (const event of events) {
        const requeue = this.#options.hints.requeue(waiting, { event, old, now });
        if (this.#requeue(waiting, requeue, eventLabel(event)) !== "unschedulable") break;
      }
      return;
    }
    const { clock } = this.#options;
    this.#toActive(queuedPod(info, clock.now()), eventLabel(unscheduledPodUpdate));
  }

  delete(pod: Pod): void {
    const { uid = "", namespace = "", name = "" } = pod.metadata;
    const key = `${namespace}/${name}`;
    this.nominator.delete(uid);
    if (this.#active.delete(key) || this.#backoff.delete(key)) return;
    const waiting = this.#unschedulable.delete(key);
    if (waiting) this.#countRejectors(waiting, -1);
  }

  /** Pops the next pod; one in backoff if the active queue is empty. */
  pop(): QueuedPod | undefined {
    if (this.#isClosed) return undefined;
    let pod = this.#active.pop();
    if (!pod) {
      pod = this.#backoff.popEarly();
      if (!pod) return undefined;
      this.#options.metrics.incomingPods.of("active", "PopFromBackoffQ").add(1);
    }
    return this.#begin(pod);
  }

  /** Takes a certain pod, wherever in the queue it is; undefined if it may not enter the active queue. */
  take(pod: Pick<Pod, "metadata">): QueuedPod | undefined {
    const { namespace = "", name = "" } = pod.metadata;
    const key = `${namespace}/${name}`;
    this.activate([pod]);
    const queued = this.#active.get(key);
    if (!queued) return undefined;
    this.#active.delete(key);
    return this.#begin(queued);
  }

  /** Ends the attempt of a pod that does not return to the queue by itself. */
  done(uid: string): void {
    this.#inFlight.end(uid);
  }

  /** Returns a pod after a failed attempt; it contains the plugins that rejected it. */
  addUnschedulable(pod: QueuedPod): void {
    const { key, uid } = pod.info;
    if (this.#unschedulable.get(key) || this.#active.get(key) || this.#backoff.get(key)) {
      this.#inFlight.end(uid);
      return;
    }
    if (hasNoRejectors(pod)) {
      pod.consecutiveErrors++;
    } else {
      pod.unschedulableCount++;
      pod.consecutiveErrors = 0;
    }
    pod.timestamp = this.#options.clock.now();
    pod.backoffUntil = undefined;
    pod.wasFlushed = false;
    pod.flushedAt = 0;
    this.#countRejectors(pod, 1);
    const requeue = this.#requeueOfInFlight(pod);
    this.#inFlight.end(uid);
    this.#requeue(pod, requeue, "ScheduleAttemptFailure");
  }

  /** Moves pods to the active queue, those in flight after their rejection. */
  activate(pods: Iterable<{ readonly metadata: Pod["metadata"] }>): void {
    for (const { metadata } of pods) {
      const { namespace = "", name = "", uid = "" } = metadata;
      const key = `${namespace}/${name}`;
      const waiting = this.#unschedulable.get(key) ?? this.#backoff.delete(key);
      if (waiting && this.#toActive(waiting, "ForceActivate")) continue;
      if (this.#inFlight.has(uid))
        this.#inFlight.happened({ event: forceActivate, now: { metadata } });
    }
  }

  /** Requeues the unschedulable pods that an event may help. */
  move(happened: HappenedEvent, isMeant?: (pod: PodInfo) => boolean): void {
    const { hints } = this.#options;
    const { event } = happened;
    const concerned = hints.concernedPlugins(event);
    if (concerned?.size === 0) return;
    for (const pod of this.#unschedulable.rejectedBy(concerned)) {
      if (isMeant && !isMeant(pod.info)) continue;
      this.#moveOne(pod, happened);
    }
    this.#inFlight.happened(happened);
  }

  nominatedPods(node: string): readonly PodInfo[] {
    const found: PodInfo[] = [];
    for (const key of this.nominator.on(node).values()) {
      const queued =
        this.#active.get(key) ?? this.#unschedulable.get(key) ?? this.#backoff.get(key);
      if (queued) found.push(queued.info);
    }
    return found;
  }

  get sizes(): Readonly<Record<"active" | "backoff" | "unschedulable" | "gated", number>> {
    let gated = 0;
    for (const pod of this.#unschedulable.values()) if (isGated(pod)) gated++;
    return {
      active: this.#active.size,
      backoff: this.#backoff.size,
      unschedulable: this.#unschedulable.size - gated,
      gated,
    };
  }

  /** The keys of all pending pods, by part of the queue. */
  pending(): Readonly<Record<"active" | "backoff" | "unschedulable", readonly string[]>> {
    const keys = (pods: Iterable<QueuedPod>) => Array.from(pods, ({ info }) => info.key);
    return {
      active: keys(this.#active.values()),
      backoff: keys(this.#backoff.values()),
      unschedulable: keys(this.#unschedulable.values()),
    };
  }

  get inFlightEvents(): readonly HappenedEvent[] {
    return this.#inFlight.events;
  }

  close(): void {
    this.#isClosed = true;
    this.#inFlight.clear();
    this.#backoffTimer?.cancel();
    this.#flushTimer?.cancel();
  }

  #begin(pod: QueuedPod): QueuedPod {
    pod.attempts++;
    this.#inFlight.begin(pod.info.uid);
    this.#countRejectors(pod, -1);
    return pod;
  }

  #moveOne(pod: QueuedPod, happened: HappenedEvent): void {
    const { event } = happened;
    const isGatedFor =
      isGated(pod) &&
      !isWildcard(event) &&
      !pod.gatingEvents.some((registered) => eventMatches(registered, event));
    if (isGatedFor) return;
    const requeue = this.#options.hints.requeue(pod, happened);
    if (requeue === "skip") return;
    this.#unschedulable.delete(pod.info.key);
    this.#requeue(pod, requeue, eventLabel(event));
  }

  /** Runs the queueing hints for the events that a pod has missed during its attempt. */
  #requeueOfInFlight(pod: QueuedPod): Requeue {
    if (hasNoRejectors(pod)) return "afterBackoff";
    const missed = this.#inFlight.missedBy(pod.info.uid);
    if (!missed) return "afterBackoff";
    let answer: Requeue = "skip";
    for (const happened of missed) {
      const requeue = this.#options.hints.requeue(pod, happened);
      if (requeue === "skip") continue;
      if (requeue === "immediately") return requeue;
      answer = requeue;
      if (pod.pendingPlugins.size === 0) return answer;
    }
    return answer;
  }

  #requeue(
    pod: QueuedPod,
    requeue: Requeue,
    event: string,
  ): "active" | "backoff" | "unschedulable" {
    if (requeue === "skip") {
      this.#toUnschedulable(pod, event);
      return "unschedulable";
    }
    if (requeue === "afterBackoff" && this.#backoff.isBackingOff(pod))
      return this.#toBackoff(pod, event) ? "backoff" : "unschedulable";
    return this.#toActive(pod, event) ? "active" : "unschedulable";
  }

  /** Moves a pod to the active queue, unless a preEnqueue plugin rejects it. */
  #toActive(pod: QueuedPod, event: string, isChecked = false): boolean {
    const { clock, metrics, onReady } = this.#options;
    const { key } = pod.info;
    if (!isChecked && !this.#mayEnter(pod)) {
      if (this.#active.get(key) || this.#backoff.get(key)) return false;
      pod.wasFlushed = false;
      this.#toUnschedulable(pod, event);
      return false;
    }
    pod.initialAttemptAt ??= clock.now();
    this.#unschedulable.delete(key);
    this.#backoff.delete(key);
    this.#active.push(pod);
    metrics.incomingPods.of("active", event).add(1);
    if (event === eventLabel(unscheduledPodAdd) || event === eventLabel(unscheduledPodUpdate))
      this.nominator.add(pod.info);
    onReady();
    return true;
  }

  #toBackoff(pod: QueuedPod, event: string): boolean {
    if (!this.#mayEnter(pod)) {
      pod.wasFlushed = false;
      this.#toUnschedulable(pod, event);
      return false;
    }
    this.#unschedulable.delete(pod.info.key);
    this.#backoff.add(pod);
    this.#options.metrics.incomingPods.of("backoff", event).add(1);
    this.#setBackoffTimer();
    this.#options.onReady();
    return true;
  }

  #toUnschedulable(pod: QueuedPod, event: string): void {
    if (!this.#unschedulable.get(pod.info.key))
      this.#options.metrics.incomingPods.of("unschedulable", event).add(1);
    this.#unschedulable.set(pod);
    this.#flushAt(this.#flushTimeOf(pod));
  }

  /** Runs preEnqueue, beginning with the plugin that rejected the pod the last time. */
  #mayEnter(pod: QueuedPod): boolean {
    const { preEnqueue, hints } = this.#options;
    const { spec } = pod.info.pod;
    const profile = spec.schedulerName ?? "";
    const plugins = preEnqueue(profile);
    const gating = plugins.filter(({ name }) => name === pod.gatingPlugin);
    const others = plugins.filter(({ name }) => name !== pod.gatingPlugin);
    for (const plugin of [...gating, ...others]) {
      if (plugin.preEnqueue(pod.info.pod) === undefined) continue;
      if (!pod.unschedulablePlugins.has(plugin.name) && !pod.pendingPlugins.has(plugin.name))
        this.#options.metrics.unschedulablePods.of(plugin.name, profile).add(1);
      pod.unschedulablePlugins = new Set([...pod.unschedulablePlugins, plugin.name]);
      pod.gatingPlugin = plugin.name;
      pod.gatingEvents = hints.eventsOf(profile, plugin.name);
      return false;
    }
    pod.gatingPlugin = "";
    pod.gatingEvents = [];
    return true;
  }

  #countRejectors(pod: QueuedPod, by: 1 | -1): void {
    if (hasNoRejectors(pod)) return;
    const profile = pod.info.pod.spec.schedulerName ?? "";
    for (const plugin of new Set([...pod.unschedulablePlugins, ...pod.pendingPlugins]))
      this.#options.metrics.unschedulablePods.of(plugin, profile).add(by);
  }

  /** Sets a timer for the next end of a backoff; there is none while no pod backs off. */
  #setBackoffTimer(): void {
    const { clock } = this.#options;
    const { nextAt } = this.#backoff;
    if (this.#isClosed || nextAt === undefined || nextAt >= this.#backoffTimerAt) return;
    this.#backoffTimer?.cancel();
    this.#backoffTimerAt = nextAt;
    this.#backoffTimer = clock.setTimer(Math.max(0, nextAt - clock.now()), () => {
      this.#backoffTimerAt = Number.POSITIVE_INFINITY;
      this.#backoffTimer = undefined;
      for (const pod of this.#backoff.popCompleted()) this.#toActive(pod, "BackoffComplete", true);
      this.#setBackoffTimer();
    });
  }

  /** The first half minute after the maximum time in the unschedulable pods. */
  #flushTimeOf(pod: QueuedPod): number {
    const { clock, maxUnschedulableMs } = this.#options;
    const due = Math.max(clock.now(), waitsSince(pod) + maxUnschedulableMs + 1) - this.#startedAt;
    return this.#startedAt + Math.ceil(due / flushPeriodMs) * flushPeriodMs;
  }

  #flushAt(at: number): void {
    if (this.#isClosed || at >= this.#flushTimerAt) return;
    const { clock } = this.#options;
    this.#flushTimer?.cancel();
    this.#flushTimerAt = at;
    this.#flushTimer = clock.setTimer(at - clock.now(), () => {
      this.#flushTimer = undefined;
      this.#flushTimerAt = Number.POSITIVE_INFINITY;
      this.#flush();
      for (const pod of this.#unschedulable.values()) this.#flushAt(this.#flushTimeOf(pod));
    });
  }

  #flush(): void {
    const { clock, maxUnschedulableMs } = this.#options;
    const now = clock.now();
    const leftOver = [...this.#unschedulable.values()].filter(
      (pod) => now - waitsSince(pod) > maxUnschedulableMs,
    );
    for (const pod of leftOver) {
      pod.wasFlushed = true;
      pod.flushedAt = now;
      this.#moveOne(pod, { event: unschedulableTimeout });
    }
  }
}

const flushPeriodMs = 30_000;

const waitsSince = ({ timestamp, flushedAt }: QueuedPod): number => Math.max(timestamp, flushedAt);

/** Forgets which plugins rejected a pod. */
export function clearRejectors(pod: QueuedPod): void {
  pod.unschedulablePlugins = noPlugins;
  pod.pendingPlugins = noPlugins;
  pod.gatingPlugin = "";
  pod.gatingEvents = [];
}
