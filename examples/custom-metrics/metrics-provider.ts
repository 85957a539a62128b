import { ConfigMap } from "wherry/api";
import { type Client, type DynamicObject, ignoreNotFound } from "wherry/client";

/** Where values come from: a monitoring system in production, annotations here. */
export interface MetricsProvider {
  /** The metrics that discovery shows: of which resource, such as `pods`, and in which namespaces or in none. */
  metrics(): readonly {
    readonly resource: string;
    readonly metric: string;
    readonly namespaced: boolean;
  }[];
  /** The value of a metric of an object, as a quantity; undefined if it has none. */
  valueOf(object: DynamicObject, metric: string): string | undefined;
  /** The values of a metric that belongs to no object, each with its labels. */
  external(namespace: string, metric: string): Promise<readonly ExternalValue[]>;
}

export interface ExternalValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

/** On an object: the value of a metric, as in `metrics.example.com/requests: "20"`. */
export const annotation = (metric: string): string => `metrics.example.com/${metric}`;

/** The ConfigMap of a namespace whose data are external metrics: `queue: "30"`, or with a label `queue_shard.1: "30"`. */
export const externalMetrics = "external-metrics";

/** Reads metrics from annotations of objects, and external ones from a ConfigMap. */
export const annotatedMetrics = (client: Client): MetricsProvider => ({
  metrics: () => [
    { resource: "pods", metric: "requests", namespaced: true },
    { resource: "services", metric: "requests", namespaced: true },
    { resource: "namespaces", metric: "tenants", namespaced: false },
  ],
  valueOf: ({ metadata }, metric) => metadata.annotations?.[annotation(metric)],
  async external(namespace, metric) {
    const found = await ignoreNotFound(client.get(ConfigMap, { namespace, name: externalMetrics }));
    return Object.entries(found?.data ?? {}).flatMap(([key, value]) => {
      const [name, label = ""] = key.split("_");
      const [labelName = "", labelValue = ""] = label.split(".");
      if (name !== metric) return [];
      return [{ labels: labelName === "" ? {} : { [labelName]: labelValue }, value }];
    });
  },
});
