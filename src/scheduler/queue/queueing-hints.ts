import {
  actions,
  allEvents,
  type ClusterEvent,
  eventLabel,
  eventMatches,
  isWildcard,
  nodeResource,
  type RegisteredEvent,
} from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import { hasNoRejectors, type QueuedPod } from "../framework/queued-pod.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import type { HappenedEvent } from "./pods-in-flight.ts";

/** Whether and where a rejected pod is requeued after an event. */
export type Requeue = "skip" | "afterBackoff" | "immediately";

interface PluginEvent extends RegisteredEvent {
  readonly plugin: string;
}

export interface HintOptions {
  readonly metrics: SchedulerMetrics;
  readonly ticks: () => number;
  readonly onFault: (error: unknown, plugin: string) => void;
  /** Rejectors that are no plugins: any event may change their mind. */
  readonly others?: readonly string[];
}

/** The registered events and queueing hints of each profile's plugins. */
export class QueueingHints {
  readonly #options: HintOptions;
  readonly #byProfile: ReadonlyMap<string, readonly PluginEvent[]>;
  /** A cache of the matching registrations by profile and event: there are few different ones. */
  readonly #concerned = new Map<string, readonly PluginEvent[]>();
  readonly #plugins = new Map<string, ReadonlySet<string>>();

  constructor(
    profiles: ReadonlyMap<string, { readonly plugins: ReadonlyMap<string, Plugin> }>,
    options: HintOptions,
  ) {
    this.#options = options;
    const others = (options.others ?? []).flatMap((plugin) =>
      allEvents.map((event) => ({ ...event, plugin })),
    );
    this.#byProfile = new Map(
      Array.from(profiles, ([name, { plugins }]) => [
        name,
        [...registered(plugins.values()), ...others],
      ]),
    );
  }

  /** All events that any plugin has registered. */
  get events(): readonly ClusterEvent[] {
    return [...this.#byProfile.values()].flat().map(({ event }) => event);
  }

  /** The events that a plugin has registered. */
  eventsOf(profile: string, plugin: string): readonly ClusterEvent[] {
    return (this.#byProfile.get(profile) ?? [])
      .filter((one) => one.plugin === plugin)
      .map(({ event }) => event);
  }

  /** The plugins of all profiles that have registered an event; undefined if it concerns every pod. */
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

  /** Runs the queueing hints for a rejected pod and an event. */
  requeue(pod: QueuedPod, happened: HappenedEvent): Requeue {
    if (hasNoRejectors(pod)) return "afterBackoff";
    const { event, now } = happened;
    if (isWildcard(event)) {
      // Some events concern a single pod only.
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
        eventMatches(one.event, event),
      );
      this.#concerned.set(key, concerned);
    }
    return concerned;
  }
}

const uidOf = (object: unknown): string | undefined =>
  (object as { readonly metadata?: { readonly uid?: string } }).metadata?.uid;

/** A plugin that can reject pods and registers no events gets all of them. */
function registered(plugins: Iterable<Plugin>): readonly PluginEvent[] {
  return [...plugins].flatMap((plugin) => {
    const canReject =
      plugin.preEnqueue ?? plugin.preFilter ?? plugin.filter ?? plugin.reserve ?? plugin.permit;
    if (!canReject) return [];
    const events = plugin.eventsToRegister?.() ?? allEvents;
    return [...events, ...taintUpdates(events)].map((one) => ({ ...one, plugin: plugin.name }));
  });
}

/**
 * New nodes usually have a taint until they are ready. As in upstream, plugins that registered node
 * additions but not taint updates also get the latter.
 */
function taintUpdates(events: readonly RegisteredEvent[]): readonly RegisteredEvent[] {
  const wants = (action: number): boolean =>
    events.some(({ event }) => event.resource === nodeResource && (event.action & action) !== 0);
  if (!wants(actions.add) || wants(actions.updateNodeTaint)) return [];
  return [{ event: { resource: nodeResource, action: actions.updateNodeTaint } }];
}
