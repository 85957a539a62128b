import type { CrossVersionObjectReference } from "../../api/autoscaling/v2/metric.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { PodMetrics } from "../../api/metrics/v1beta1/pod-metrics.ts";
import type { Client } from "../../client/client.ts";
import { decodeResponse } from "../../client/decode-response.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { RestMapper } from "../../client/discovery/rest-mapper.ts";
import { groupOf } from "../../controller-runtime/objects/owner-references.ts";
import { durationMillis } from "../../schema/values/duration.ts";
import { parseQuantity, quantityMilliValue } from "../../schema/values/quantity.ts";
import type { PodMetricValues } from "./group-pods.ts";
import type { MeasuredResource } from "./requested-amounts.ts";

/** Reads metrics from the APIs that somebody serves them in. Selectors are texts; values are thousandths. */
export interface MetricSources {
  /** What pods or containers of them use of a resource. */
  resource(measured: MeasuredResource, pods: SelectedPods): Promise<PodMetricValues>;
  /** A custom metric of pods. */
  pods(metric: NamedMetric, pods: SelectedPods): Promise<PodMetricValues>;
  /** A custom metric of an object. */
  object(
    metric: NamedMetric,
    object: CrossVersionObjectReference,
    namespace: string,
  ): Promise<number>;
  /** All values of an external metric. */
  external(metric: NamedMetric, namespace: string): Promise<readonly number[]>;
}

export interface SelectedPods {
  readonly namespace: string;
  readonly labelSelector: string;
}

export interface NamedMetric {
  readonly name: string;
  readonly labelSelector: string;
}

export interface SourceContext {
  readonly client: Client;
  readonly mapper: RestMapper;
  readonly discovery: Discovery;
  readonly signal: AbortSignal;
}

export function metricSources({ client, mapper, discovery, signal }: SourceContext): MetricSources {
  const get = async <T>(
    path: string,
    query: Readonly<Record<string, string>>,
    request: { readonly group: string; readonly plural: string; readonly name?: string },
  ): Promise<readonly T[]> => {
    const { name, ...kind } = request;
    const given = Object.entries(query).filter(([, value]) => value !== "");
    const response = await client.raw({
      method: "GET",
      path,
      query: Object.fromEntries(given),
      headers: { accept: "application/json" },
      signal,
    });
    const value = await decodeResponse(response, { request: { method: "GET", kind, name } });
    return (value as { readonly items?: readonly T[] | null }).items ?? [];
  };
  const custom = async (
    { namespace, resource, object }: CustomObject,
    metric: NamedMetric,
    labelSelector: string,
  ): Promise<readonly CustomValue[]> => {
    const version = await customVersion(discovery, signal);
    const at = `/apis/${customGroup}/${version}/namespaces/${encodeURIComponent(namespace)}`;
    const of = [resource, object, metric.name].filter((part) => part !== "");
    const query = { labelSelector, metricLabelSelector: metric.labelSelector };
    return get(`${at}/${of.map(encodeURIComponent).join("/")}`, query, {
      group: customGroup,
      plural: resource,
      name: object === "" ? metric.name : object,
    });
  };
  return {
    async resource(measured, { namespace, labelSelector }) {
      const found = await reading("resource", () =>
        client.list(PodMetrics, { namespace, labelSelector, signal }),
      );
      if (found.items.length === 0)
        throw new Error("no metrics returned from resource metrics API");
      return new Map(found.items.flatMap((pod) => usageOf(pod, measured)));
    },

    async pods(metric, { namespace, labelSelector }) {
      const items = await reading("custom", () =>
        custom({ namespace, resource: "pods", object: "*" }, metric, labelSelector),
      );
      if (items.length === 0) throw new Error("no metrics returned from custom metrics API");
      return new Map(
        items.map((item) => {
          const seconds = item.windowSeconds ?? item.window ?? defaultWindowSeconds;
          const metric = {
            value: millis(item.value),
            at: timeOf(item.timestamp) ?? 0,
            windowMs: seconds * 1000,
          };
          return [item.describedObject.name ?? "", metric];
        }),
      );
    },

    object: (metric, object, namespace) =>
      reading("custom", async () => {
        const place = await placeOf(mapper, { object, namespace, signal });
        const items = await custom(place, metric, "");
        const [item] = items;
        if (!item || items.length > 1)
          throw new Error(
            `the custom metrics API server returned ${items.length} results when we asked for exactly one`,
          );
        return millis(item.value);
      }),

    async external({ name, labelSelector }, namespace) {
      const path = [externalVersion, "namespaces", namespace, name].map(encodeURIComponent);
      const items = await reading("external", () =>
        get<{ readonly value: string }>(
          `/apis/${externalGroup}/${path.join("/")}`,
          { labelSelector },
          { group: externalGroup, plural: name },
        ),
      );
      if (items.length === 0) throw new Error("no metrics returned from external metrics API");
      return items.map(({ value }) => millis(value));
    },
  };
}

const customGroup = "custom.metrics.k8s.io";
const externalGroup = "external.metrics.k8s.io";
const externalVersion = "v1beta1";

/** The window of metrics that do not tell theirs. */
const defaultWindowSeconds = 60;

const millis = (amount: string): number => quantityMilliValue(parseQuantity(amount));

async function reading<T>(
  api: "resource" | "custom" | "external",
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new Error(`unable to fetch metrics from ${api} metrics API`, { cause });
  }
}

/** What a pod uses, or a container of it; nothing if that is not known. */
function usageOf(
  { metadata, timestamp, window, containers }: PodMetrics,
  { resource, container }: MeasuredResource,
): readonly (readonly [string, { value: number; at: number; windowMs: number }])[] {
  const all = containers ?? [];
  const counted = container === undefined ? all : all.filter(({ name }) => name === container);
  const amounts = counted.map(({ usage }) => usage?.[resource]);
  const known = amounts.filter((amount) => amount !== undefined);
  if (known.length === 0 || known.length < amounts.length) return [];
  const value = known.reduce((sum, amount) => sum + millis(amount), 0);
  const at = timeOf(timestamp ?? undefined) ?? 0;
  return [[metadata.name ?? "", { value, at, windowMs: durationMillis(window ?? "0s") }]];
}

/** Of v1beta1 and v1beta2: the window has another name in each. */
interface CustomValue {
  readonly describedObject: { readonly name?: string };
  readonly timestamp?: string;
  readonly window?: number;
  readonly windowSeconds?: number;
  readonly value: string;
}

interface CustomObject {
  readonly namespace: string;
  readonly resource: string;
  /** Empty for the namespace itself. */
  readonly object: string;
}

async function placeOf(
  mapper: RestMapper,
  wanted: {
    readonly object: CrossVersionObjectReference;
    readonly namespace: string;
    readonly signal: AbortSignal;
  },
): Promise<CustomObject> {
  const { object, namespace, signal } = wanted;
  const { apiVersion = "", kind, name } = object;
  const group = groupOf(apiVersion) ?? "";
  // An autoscaler reads nothing outside its namespace, whatever name it gives.
  if (group === "" && kind === "Namespace") return { namespace, resource: "metrics", object: "" };
  try {
    const found = await mapper.kind({ group, kind }, { signal });
    const resource = group === "" ? found.plural : `${found.plural}.${group}`;
    return { namespace, resource, object: name };
  } catch (cause) {
    const text = group === "" ? kind : `${kind}.${group}`;
    throw new Error(`unable to map kind ${text} to resource`, { cause });
  }
}

/** The version of the custom metrics API that the server prefers among those that are known here. */
async function customVersion(discovery: Discovery, signal: AbortSignal): Promise<string> {
  const find = (groups: Awaited<ReturnType<Discovery["apis"]>>["groups"]): string | undefined => {
    const found = groups.find(({ name }) => name === customGroup);
    const order = [found?.preferredVersion ?? "", ...(found?.versions ?? [])];
    return order.find((version) => version === "v1beta1" || version === "v1beta2");
  };
  const apis = await discovery.apis({ signal });
  const version =
    find(apis.groups) ?? find((await discovery.apis({ newerThan: apis, signal })).groups);
  if (version === undefined) throw new Error(`no custom metrics API (${customGroup}) registered`);
  return version;
}
