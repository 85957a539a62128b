import {
  actions,
  allEvents,
  type ClusterEvent,
  eventLabel,
  eventMeans,
  isWildcard,
  nodeResource,
  type RegisteredEvent,
} from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import { hasNoRejectors, type QueuedPod } from "../framework/queued-pod.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import type { HappenedEvent } from "./pods-in-flight.ts";

/** What becomes of a pod that was turned away, after something happened. */
export type Requeue = "skip" | "afterBackoff" | "immediately";

interface PluginEvent extends RegisteredEvent {
  readonly plugin: string;
}

export interface HintOptions {
  readonly metrics: SchedulerMetrics;
  readonly ticks: () => number;
  readonly onFault: (error: unknown, plugin: string) => void;
}

/** What each profile's plugins want to be told of, and what they make of it. */
export class QueueingHints {
  readonly #options: HintOptions;
  readonly #byProfile: ReadonlyMap<string, readonly PluginEvent[]>;
  /** Those that an event concerns, by profile and event: there are few different ones. */
  readonly #concerned = new Map<string, readonly PluginEvent[]>();
  readonly #plugins = new Map<string, ReadonlySet<string>>();

  constructor(
    profiles: ReadonlyMap<string, { readonly plugins: ReadonlyMap<string, Plugin> }>,
    options: HintOptions,
  ) {
    this.#options = options;
    this.#byProfile = new Map(
      Array.from(profiles, ([name, { plugins }]) => [name, registered(plugins.values())]),
    );
  }

  /** All events that any plugin wants to be told of. */
  get events(): readonly ClusterEvent[] {
    return [...this.#byProfile.values()].flat().map(({ event }) => event);
  }

  /** What a plugin wants to be told of. */
  eventsOf(profile: string, plugin: string): readonly ClusterEvent[] {
    return (this.#byProfile.get(profile) ?? [])
      .filter((one) => one.plugin === plugin)
      .map(({ event }) => event);
  }

  /** The plugins that an event concerns, of any profile; undefined for one that concerns all. */
  concernedPlugins(event: ClusterEvent): ReadonlySet<string> | undefined {
    if (isWildcard(event)) return undefined;
    const key = `${event.resource}\0${event.action}`;
    let plugins = this.#plugins.get(key);
    if (!plugins) {
      plugins = new Set(
        [...this.#byProfile.keys()].flatMap((profile) =>
          this.#concernedIn(profile, event).map(({ plugin }) => plugin),
        ),
      );
      this.#plugins.set(key, plugins);
    }
    return plugins;
  }

  /** Whether a pod is worth another try after something happened. */
  requeue(pod: QueuedPod, happened: HappenedEvent): Requeue {
    if (hasNoRejectors(pod)) return "afterBackoff";
    const { event, now } = happened;
    if (isWildcard(event)) {
      // What concerns one pod alone says so.
      return now !== undefined && uidOf(now) !== pod.info.uid ? "skip" : "afterBackoff";
    }
    const profile = pod.info.pod.spec.schedulerName ?? "";
    let answer: Requeue = "skip";
    for (const one of this.#concernedIn(profile, event)) {
      const isPending = pod.pendingPlugins.has(one.plugin);
      if (!isPending && !pod.unschedulablePlugins.has(one.plugin)) continue;
      if (!this.#wouldHelp(one, pod, happened)) continue;
      if (isPending) return "immediately";
      answer = "afterBackoff";
      if (pod.pendingPlugins.size === 0) return answer;
    }
    return answer;
  }

  #wouldHelp({ hint, plugin }: PluginEvent, pod: QueuedPod, happened: HappenedEvent): boolean {
    if (!hint) return true;
    const { metrics, ticks, onFault } = this.#options;
    const since = ticks();
    let answer: "Queue" | "QueueSkip" | "Error";
    try {
      answer = hint(pod.info.pod, happened);
    } catch (error) {
      onFault(error, plugin);
      answer = "Error";
    }
    metrics.hintSeconds
      .of(plugin, eventLabel(happened.event), answer)
      .observe((ticks() - since) / 1000);
    return answer !== "QueueSkip";
  }

  #concernedIn(profile: string, event: ClusterEvent): readonly PluginEvent[] {
    const key = `${profile}\0${event.resource}\0${event.action}`;
    let concerned = this.#concerned.get(key);
    if (!concerned) {
      concerned = (this.#byProfile.get(profile) ?? []).filter((one) =>
        eventMeans(one.event, event),
      );
      this.#concerned.set(key, concerned);
    }
    return concerned;
  }
}

const uidOf = (object: unknown): string | undefined =>
  (object as { readonly metadata?: { readonly uid?: string } }).metadata?.uid;

/** Who can turn pods away and does not say what may change his mind is told of everything. */
function registered(plugins: Iterable<Plugin>): readonly PluginEvent[] {
  return [...plugins].flatMap((plugin) => {
    const canReject =
      plugin.preEnqueue ?? plugin.preFilter ?? plugin.filter ?? plugin.reserve ?? plugin.permit;
    if (!canReject) return [];
    const events = plugin.eventsToRegister?.() ?? allEvents;
    return [...events, ...newsOfTaints(events)].map((one) => ({ ...one, plugin: plugin.name }));
  });
}

/**
 * Most nodes come with a taint, which they lose when they are ready. As upstream has it, that is the news of
 * a new node for whoever wants to be told of those and not of taints.
 */
function newsOfTaints(events: readonly RegisteredEvent[]): readonly RegisteredEvent[] {
  const wants = (action: number): boolean =>
    events.some(({ event }) => event.resource === nodeResource && (event.action & action) !== 0);
  if (!wants(actions.add) || wants(actions.updateNodeTaint)) return [];
  return [{ event: { resource: nodeResource, action: actions.updateNodeTaint } }];
}
