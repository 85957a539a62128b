import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
  ResourceMetricSource,
} from "./metric.ts";

const shown = 2;

/** What the metrics are and should be, as `kubectl get` shows it: two of them, and how many more. */
export function metricsCell(
  specs: readonly MetricSpec[] = [],
  statuses: readonly MetricStatus[] | null = [],
): string {
  if (specs.length === 0) return "<none>";
  const cells = specs.map((spec, i) => metricCell(spec, statuses?.[i]));
  const text = cells.slice(0, shown).join(", ");
  return cells.length > shown ? `${text} + ${cells.length - shown} more...` : text;
}

function metricCell(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueCell(spec.external?.target, status?.external?.current);
    case "Object":
      return valueCell(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${amount(status?.pods?.current, "averageValue")}/${spec.pods?.target.averageValue ?? none}`;
    case "Resource":
      return resourceCell(spec.resource, status?.resource?.current);
    case "ContainerResource":
      return resourceCell(spec.containerResource, status?.containerResource?.current);
    default:
      return "<unknown type>";
  }
}

/** How Go writes a quantity that is not there. */
const none = "<nil>";
const unknown = "<unknown>";

const amount = (current: MetricValueStatus | undefined, field: "value" | "averageValue"): string =>
  current ? (current[field] ?? none) : unknown;

function valueCell(
  target: MetricTarget | undefined,
  current: MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined)
    return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${amount(current, "value")}/${target?.value ?? none}`;
}

function resourceCell(
  source: ResourceMetricSource | undefined,
  current: MetricValueStatus | undefined,
): string {
  const { averageValue, averageUtilization } = source?.target ?? {};
  const name = source?.name ?? "";
  if (averageValue !== undefined)
    return `${name}: ${amount(current, "averageValue")}/${averageValue}`;
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(averageUtilization, "<auto>")}`;
}

const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`;
