import { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import { PriorityLevelConfiguration } from "../../api/flowcontrol/v1/priority-level-configuration.ts";
import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import { FlowControlMetrics } from "../metrics/flow-control-metrics.ts";
import { anyKind, type ObjectReader } from "../objects/reader.ts";
import type { Resources } from "../objects/resources.ts";
import { defaultMaxInFlight, type MaxInFlight } from "../request/load/in-flight.ts";
import { PriorityAndFairness } from "./priority-and-fairness.ts";
import type { LoadFacts } from "./request-work.ts";
import { WatcherCounts } from "./watcher-counts.ts";

export interface FairnessParts {
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly sha256: (text: string) => Uint8Array;
  readonly maxInFlight?: MaxInFlight | undefined;
  readonly reader: ObjectReader;
  readonly resources: Pick<Resources, "find">;
  readonly metrics: Metrics;
}

/** Priority and fairness by the flow schemas and priority levels of a server, and what it knows of its load. */
export interface OpenFairness {
  readonly fairness: PriorityAndFairness;
  readonly facts: LoadFacts;
  readonly watchers: WatcherCounts;
  readonly flowControl: FlowControlMetrics;
}

/** The limits in flight, added up, are the seats that all levels share. */
export function openFairness(parts: FairnessParts): OpenFairness {
  const { reader, resources, maxInFlight = defaultMaxInFlight } = parts;
  const { cache } = reader;
  const flowControl = new FlowControlMetrics(parts.metrics, parts.ticks);
  const watchers = new WatcherCounts();
  const fairness = new PriorityAndFairness({
    ...parts,
    metrics: flowControl,
    seats: maxInFlight.reading + maxInFlight.writing,
    configuration: () => ({
      schemas: reader.listReadable(FlowSchema),
      levels: reader.listReadable(PriorityLevelConfiguration),
    }),
  });
  const changed = (): void => fairness.configurationChanged();
  for (const kind of [FlowSchema, PriorityLevelConfiguration])
    cache.of(anyKind(kind)).watchers.add({ changed, end: () => {} });
  const facts: LoadFacts = {
    watchers: (attributes) => watchers.interestedIn(attributes),
    stored({ group, version, resource }) {
      const kind = resources.find(group, version, resource);
      if (!kind) return undefined;
      const { size, bytes } = cache.of(kind);
      return { count: size, bytes };
    },
  };
  return { fairness, facts, watchers, flowControl };
}
