import type {
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../api/autoscaling/v2/metric.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import { type LabelSelector, labelSelectorText } from "../../api/meta/v1/label-selector.ts";
import { errorMessage } from "../../base/error-message.ts";
import {
  everything,
  formatLabelSelector,
  labelSelector,
} from "../../schema/selectors/label-selector.ts";
import {
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
} from "../../schema/values/quantity.ts";
import { groupPods, type PodMetricValues, type StartPeriods } from "./group-pods.ts";
import type { MetricSources, NamedMetric, SelectedPods } from "./metric-sources.ts";
import {
  averageMeasure,
  type Measure,
  type PodsProposal,
  replicasByPods,
  replicasByRatio,
  replicasByShare,
  type Tolerances,
  utilizationMeasure,
} from "./proposed-replicas.ts";
import { type MeasuredResource, requestedAmounts } from "./requested-amounts.ts";

/** What one metric asks for. */
export interface MetricProposal {
  readonly replicas: number;
  /** The metric in words. */
  readonly name: string;
  readonly status: MetricStatus;
}

export interface ProposalInput extends StartPeriods {
  readonly sources: MetricSources;
  readonly tolerances: Tolerances;
  /** The pods of the target. */
  readonly pods: readonly Pod[];
  readonly selected: SelectedPods;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly now: number;
}

/** A metric that tells nothing; `reason` is that of the condition, and `detail` a part of its message. */
export class MetricError extends Error {
  override readonly name = "MetricError";
  readonly reason: string;
  readonly detail: string;
  /** Whether the autoscaler itself is wrong. */
  readonly isSpec: boolean;

  constructor(
    message: string,
    {
      reason,
      detail,
      isSpec = false,
      cause,
    }: {
      readonly reason: string;
      readonly detail: string;
      readonly isSpec?: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause });
    this.reason = reason;
    this.detail = detail;
    this.isSpec = isSpec;
  }
}

/** Computes what a metric asks for; throws a `MetricError` where it tells nothing. */
export async function metricProposal(
  spec: MetricSpec,
  input: ProposalInput,
): Promise<MetricProposal> {
  const found = kindOfMetric(spec);
  if (!found) {
    const message = `unknown metric source type "${spec.type}"`;
    throw new MetricError(message, {
      reason: "InvalidMetricSourceType",
      detail: message,
      isSpec: true,
    });
  }
  try {
    return await found.propose(input);
  } catch (cause) {
    const detail = errorMessage(cause);
    throw new MetricError(`failed to get ${found.value}`, { reason: found.reason, detail, cause });
  }
}

interface KindOfMetric {
  /** The reason of the condition where it fails. */
  readonly reason: string;
  /** What cannot be got then. */
  readonly value: string;
  propose(input: ProposalInput): Promise<MetricProposal>;
}

function kindOfMetric(spec: MetricSpec): KindOfMetric | undefined {
  const { object, pods, resource, containerResource, external } = spec;
  if (spec.type === "Object" && object)
    return {
      reason: "FailedGetObjectMetric",
      value: "object metric value",
      propose: (input) => byObject(object, input),
    };
  if (spec.type === "Pods" && pods)
    return {
      reason: "FailedGetPodsMetric",
      value: "pods metric value",
      propose: (input) => byPods(pods, input),
    };
  if (spec.type === "Resource" && resource)
    return {
      reason: "FailedGetResourceMetric",
      value: `${resource.name} resource metric value`,
      async propose(input) {
        const measured = { resource: resource.name };
        const { replicas, name, current } = await byResource(measured, resource.target, input);
        const status = { type: "Resource", resource: { name: resource.name, current } };
        return { replicas, name, status };
      },
    };
  if (spec.type === "ContainerResource" && containerResource)
    return {
      reason: "FailedGetContainerResourceMetric",
      value: `${containerResource.container} container metric value`,
      async propose(input) {
        const { name: of, container, target } = containerResource;
        const found = await byResource({ resource: of, container }, target, input);
        const { replicas, name, current } = found;
        const status = {
          type: "ContainerResource",
          containerResource: { name: of, container, current },
        };
        return { replicas, name, status };
      },
    };
  if (spec.type === "External" && external)
    return {
      reason: "FailedGetExternalMetric",
      value: `${external.metric.name} external metric value`,
      propose: (input) => byExternal(external, input),
    };
  return undefined;
}

async function byObject(
  { describedObject, metric, target }: NonNullable<MetricSpec["object"]>,
  input: ProposalInput,
): Promise<MetricProposal> {
  const { namespace } = input.selected;
  const read = async (): Promise<number> => {
    try {
      return await input.sources.object(named(metric), describedObject, namespace);
    } catch (cause) {
      const of = `${describedObject.kind} ${namespace}/${describedObject.name}`;
      throw new Error(`unable to get metric ${metric.name}: ${errorMessage(cause)} on ${of}`);
    }
  };
  const status = (current: MetricValueStatus): MetricStatus => ({
    type: "Object",
    object: { describedObject, metric, current },
  });
  if (target.type === "Value" && target.value !== undefined) {
    const value = await read();
    const replicas = byRatio(value / millis(target.value), input);
    const name = `${describedObject.kind} metric ${metric.name}`;
    return { replicas, name, status: status({ value: amountOf(value) }) };
  }
  if (target.type === "AverageValue" && target.averageValue !== undefined) {
    const found = await orElse(`failed to get ${metric.name} object metric`, read);
    const { replicas, average } = byShare(found, target.averageValue, input);
    return {
      replicas,
      name: externalName(metric),
      status: status({ averageValue: amountOf(average) }),
    };
  }
  throw new Error(
    "invalid object metric source: neither a value target nor an average value target was set",
  );
}

async function byPods(
  { metric, target }: NonNullable<MetricSpec["pods"]>,
  input: ProposalInput,
): Promise<MetricProposal> {
  const metrics = await orElse(`unable to get metric ${metric.name}`, () =>
    input.sources.pods(named(metric), input.selected),
  );
  const measure = averageMeasure(millis(target.averageValue ?? "0"));
  const { replicas, measured } = byEachPod(metrics, { measure: () => measure }, input);
  const current = { averageValue: amountOf(measured.average) };
  const status = { type: "Pods", pods: { metric, current } };
  return { replicas, name: `pods metric ${metric.name}`, status };
}

async function byResource(
  measured: MeasuredResource,
  target: MetricTarget,
  input: ProposalInput,
): Promise<Omit<MetricProposal, "status"> & { readonly current: MetricValueStatus }> {
  const { resource, container } = measured;
  const read = () =>
    orElse(`unable to get metrics for resource ${resource}`, () =>
      input.sources.resource(measured, input.selected),
    );
  const { averageValue, averageUtilization } = target;
  if (averageValue !== undefined)
    return orElse(`failed to get ${resource} usage`, async () => {
      const measure = averageMeasure(millis(averageValue));
      const found = byEachPod(await read(), { resource, measure: () => measure }, input);
      const current = { averageValue: amountOf(found.measured.average, resource) };
      return { replicas: found.replicas, name: `${resource} resource`, current };
    });
  if (averageUtilization === undefined)
    throw new Error(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  return orElse(`failed to get ${resource} utilization`, async () => {
    const measure = () =>
      utilizationMeasure(requestedAmounts(input.pods, measured), averageUtilization);
    const { replicas, measured: found } = byEachPod(await read(), { resource, measure }, input);
    const what = container === undefined ? "resource" : "container resource";
    return {
      replicas,
      name: `${resource} ${what} utilization (percentage of request)`,
      current: {
        averageUtilization: found.utilization,
        averageValue: amountOf(found.average, resource),
      },
    };
  });
}

async function byExternal(
  { metric, target }: NonNullable<MetricSpec["external"]>,
  input: ProposalInput,
): Promise<MetricProposal> {
  const { namespace } = input.selected;
  const read = async (): Promise<number> => {
    const selector = selectorText(metric.selector);
    const values = await orElse(
      `unable to get external metric ${namespace}/${metric.name}/${selector}`,
      () => input.sources.external(named(metric), namespace),
    );
    return values.reduce((sum, value) => sum + value, 0);
  };
  const name = externalName(metric);
  const status = (current: MetricValueStatus): MetricStatus => ({
    type: "External",
    external: { metric, current },
  });
  const { averageValue, value: wanted } = target;
  if (averageValue !== undefined) {
    const value = await orElse(`failed to get ${metric.name} external metric`, read);
    const { replicas, average } = byShare(value, averageValue, input);
    return { replicas, name, status: status({ averageValue: amountOf(average) }) };
  }
  if (wanted !== undefined)
    return orElse(`failed to get external metric ${metric.name}`, async () => {
      const value = await read();
      const replicas = byRatio(value / millis(wanted), input);
      return { replicas, name, status: status({ value: amountOf(value) }) };
    });
  throw new Error(
    "invalid external metric source: neither a value target nor an average value target was set",
  );
}

function byEachPod<M extends { readonly ratio: number }>(
  metrics: PodMetricValues,
  { resource, measure }: { readonly resource?: string; readonly measure: () => Measure<M> },
  input: ProposalInput,
): PodsProposal<M> {
  const { pods, tolerances, specReplicas } = input;
  checkPods(pods);
  const groups = groupPods(pods, metrics, { ...input, resource });
  return replicasByPods({ currentReplicas: specReplicas, tolerances, metrics, groups, measure });
}

const byRatio = (ratio: number, { specReplicas, tolerances, pods }: ProposalInput): number =>
  replicasByRatio(ratio, {
    currentReplicas: specReplicas,
    tolerances,
    readyPods() {
      try {
        checkPods(pods);
      } catch (cause) {
        throw new Error("unable to calculate ready pods", { cause });
      }
      return pods.filter((pod) => pod.status.phase === "Running" && isPodReady(pod)).length;
    },
  });

const byShare = (value: number, target: string, { statusReplicas, tolerances }: ProposalInput) =>
  replicasByShare(value, { target: millis(target), replicas: statusReplicas, tolerances });

function checkPods(pods: readonly Pod[]): void {
  if (pods.length === 0)
    throw new Error("no pods returned by selector while calculating replica count");
}

/** What the work returns; says before its error what failed. */
async function orElse<T>(failure: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(failure, { cause });
  }
}

/** The metric with its selector as text; without a selector nothing is left out. */
const named = ({ name, selector }: MetricIdentifier): NamedMetric => ({
  name,
  labelSelector: formatLabelSelector(selector ? labelSelector(selector) : everything),
});

const selectorText = (selector: LabelSelector | undefined): string =>
  selector ? labelSelectorText(selector) : "nil";

const externalName = ({ name, selector }: MetricIdentifier): string =>
  `external metric ${name}(${selectorText(selector)})`;

const millis = (amount: string): number => quantityMilliValue(parseQuantity(amount));

/** An amount of thousandths; memory is written as metrics-server does. */
const amountOf = (thousandths: number, resource?: string): string =>
  formatQuantity(quantityOf(thousandths, resource === "memory" ? "BinarySI" : "DecimalSI", -3));
