import type {
  ContainerResourceMetricStatus,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  ResourceMetricStatus,
} from "../../../api/autoscaling/v2/metric.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { Description } from "../description.ts";
import { quantityText } from "../quantities.ts";

const unknown = "<unknown>";

/** A metric of an autoscaler: what it is, and what it should be. */
export function metricLine(
  d: Description,
  metric: MetricSpec,
  status: MetricStatus | undefined,
): void {
  const { external, pods, object, resource, containerResource } = metric;
  switch (metric.type) {
    case "External":
      if (external) externalLine(d, external, status?.external);
      return;
    case "Pods": {
      const current = status?.pods ? quantityText(status.pods.current?.averageValue) : unknown;
      const name = quote(pods?.metric?.name ?? "");
      d.field(`${name} on pods`, `${current} / ${quantityText(pods?.target?.averageValue)}`, 1);
      return;
    }
    case "Object":
      if (object) objectLine(d, object, status?.object);
      return;
    case "Resource":
      d.write(`resource ${resource?.name} on pods`, 1);
      if (resource) shareText(d, resource.target, status?.resource);
      return;
    case "ContainerResource": {
      const { name, container } = containerResource ?? {};
      d.write(`resource ${name} of container "${container}" on pods`, 1);
      if (containerResource) shareText(d, containerResource.target, status?.containerResource);
      return;
    }
    default:
      d.line(`<unknown metric type ${quote(metric.type ?? "")}>`, 1);
  }
}

function externalLine(
  d: Description,
  { metric, target }: NonNullable<MetricSpec["external"]>,
  status: MetricStatus["external"],
): void {
  const name = quote(metric?.name ?? "");
  if (target?.averageValue !== undefined) {
    const value = status?.current?.averageValue;
    const current = value === undefined ? unknown : quantityText(value);
    const wanted = quantityText(target.averageValue);
    d.field(`${name} (target average value)`, `${current} / ${wanted}`, 1);
  } else {
    const current = status ? quantityText(status.current?.value) : unknown;
    d.field(`${name} (target value)`, `${current} / ${quantityText(target?.value)}`, 1);
  }
}

function objectLine(
  d: Description,
  { metric, describedObject, target }: NonNullable<MetricSpec["object"]>,
  status: MetricStatus["object"],
): void {
  d.write(`"${metric?.name}" on ${describedObject?.kind}/${describedObject?.name} `, 1);
  const isAverage = target?.type === "AverageValue";
  const key = isAverage ? "averageValue" : "value";
  const current = status ? quantityText(status.current?.[key]) : unknown;
  const title = isAverage ? "(target average value)" : "(target value)";
  d.field(title, `${current} / ${quantityText(target?.[key])}`);
}

/** A resource as an average, or as a share of what is requested. */
function shareText(
  d: Description,
  target: MetricTarget | undefined,
  status: ResourceMetricStatus | ContainerResourceMetricStatus | undefined,
): void {
  const { averageUtilization, averageValue } = status?.current ?? {};
  if (target?.averageValue !== undefined) {
    const current = status ? quantityText(averageValue) : unknown;
    d.field("", `${current} / ${quantityText(target.averageValue)}`);
    return;
  }
  const current =
    averageUtilization === undefined
      ? unknown
      : `${averageUtilization}% (${quantityText(averageValue)})`;
  const wanted =
    target?.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`;
  d.field("(as a percentage of request)", `${current} / ${wanted}`, 1);
}
