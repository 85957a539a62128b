import type { OpenRequest, OpenVersion } from "wherry/apiserver";
import {
  type Client,
  createDiscovery,
  createRestMapper,
  type DynamicObject,
  type RestMapper,
  StatusError,
} from "wherry/client";
import type { MetricsProvider } from "./metrics-provider.ts";

/** Metrics of objects, as `custom.metrics.k8s.io` has them, in the versions that autoscalers know. */
export function customMetrics(client: Client, provider: MetricsProvider): readonly OpenVersion[] {
  const mapper = createRestMapper(createDiscovery(client));
  return (["v1beta2", "v1beta1"] as const).map((version) => ({
    group: "custom.metrics.k8s.io",
    version,
    resources: () =>
      provider.metrics().map(({ resource, metric, namespaced }) => ({
        name: `${resource}/${metric}`,
        kind: "MetricValueList",
        namespaced,
      })),
    async get(request) {
      const { objects, metric } = await wanted(request, { client, mapper });
      const selector = request.query.get("metricLabelSelector") ?? "";
      const items = objects.flatMap((object) => {
        const value = provider.valueOf(object, metric);
        if (value === undefined) return [];
        const { apiVersion, kind, metadata } = object;
        const { namespace, name } = metadata;
        const described = { kind, ...(namespace && { namespace }), name, apiVersion };
        const named =
          version === "v1beta1"
            ? { metricName: metric, selector: null }
            : {
                metric: {
                  name: metric,
                  selector: selector === "" ? null : { matchLabels: labelsIn(selector) },
                },
              };
        return [{ describedObject: described, ...named, timestamp: timeOf(client), value }];
      });
      if (items.length === 0 && request.name !== "*") throw notFound(request, metric);
      return {
        kind: "MetricValueList",
        apiVersion: `custom.metrics.k8s.io/${version}`,
        metadata: {},
        items,
      };
    },
  }));
}

/** Metrics that belong to no object, as `external.metrics.k8s.io` has them. */
export const externalMetricsVersion = (client: Client, provider: MetricsProvider): OpenVersion => ({
  group: "external.metrics.k8s.io",
  version: "v1beta1",
  // Adapters show that they have any metric: discovery of all would be endless.
  resources: () => [{ name: "*", kind: "ExternalMetricValueList", namespaced: true }],
  async get({ namespace, resource: metricName, name, query }) {
    if (name !== "") return undefined;
    const labels = labelsIn(query.get("labelSelector") ?? "");
    const values = await provider.external(namespace, metricName);
    const items = values
      .filter((one) =>
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      )
      .map(({ labels: metricLabels, value }) => ({
        metricName,
        metricLabels,
        timestamp: timeOf(client),
        value,
      }));
    return {
      kind: "ExternalMetricValueList",
      apiVersion: "external.metrics.k8s.io/v1beta1",
      metadata: {},
      items,
    };
  },
});

/** The objects of a request, and its metric, as in `pods/NAME/requests`; all that match if the name is `*`. */
async function wanted(
  { namespace, resource, name, subresource: metric, query, signal }: OpenRequest,
  { client, mapper }: { readonly client: Client; readonly mapper: RestMapper },
): Promise<{ readonly objects: readonly DynamicObject[]; readonly metric: string }> {
  // A metric of the namespace itself.
  if (resource === "metrics" && metric === "" && name !== "") {
    const kind = await mapper.named("namespaces", { signal });
    return { objects: [await client.get(kind, { name: namespace }, { signal })], metric: name };
  }
  const kind = await mapper.named(resource, { signal });
  const place = namespace === "" ? {} : { namespace };
  if (name !== "*")
    return { objects: [await client.get(kind, { ...place, name }, { signal })], metric };
  const labelSelector = query.get("labelSelector") ?? "";
  const { items } = await client.list(kind, { ...place, labelSelector, signal });
  return { objects: items, metric };
}

/** The labels of a selector that only says which values they have, as autoscalers write it. */
const labelsIn = (selector: string): Record<string, string> =>
  Object.fromEntries(
    selector
      .split(",")
      .filter((one) => one !== "")
      .map((one) => one.split(/==?/) as [string, string]),
  );

const timeOf = ({ clock }: Client): string =>
  new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");

const notFound = ({ resource, name }: OpenRequest, metric: string): StatusError =>
  new StatusError(
    "NotFound",
    `the server could not find the metric ${metric} for ${resource} ${name}`,
  );
