import type { ResourceList } from "../../api/core/v1/resource-list.ts";
import { formatQuantity, quantityOf } from "../../schema/values/quantity.ts";
import type { Counted } from "./node-sample.ts";

/** What was used in a time, in milliseconds since the epoch and for so long. */
export interface MeasuredUsage {
  readonly usage: ResourceList;
  readonly at: number;
  readonly windowMs: number;
}

/**
 * What was used between two samples; undefined while that is not known. A container that has started since the
 * first one is measured from its start, once it is ten seconds old. Without an earlier sample, the kubelet's rate is
 * taken.
 */
export function measuredUsage(
  last: Counted,
  {
    before,
    sampledBefore,
  }: { readonly before: Counted | undefined; readonly sampledBefore: boolean },
): MeasuredUsage | undefined {
  const isSame =
    before !== undefined &&
    before.startedAt === last.startedAt &&
    before.at < last.at &&
    before.cpuSeconds <= last.cpuSeconds;
  if (isSame) return since(last, before.at, before.cpuSeconds);
  const { startedAt, nanoCores } = last;
  if (nanoCores !== undefined && nanoCores > 0)
    return usageOf(last, nanoCores / 1e9, kubeletWindowMs);
  // An older container has no earlier sample only if that could not be read.
  if (startedAt === undefined || !sampledBefore || last.at - startedAt < youngestMs)
    return undefined;
  return since(last, startedAt, 0);
}

const since = (last: Counted, from: number, cpuSeconds: number): MeasuredUsage =>
  usageOf(last, ((last.cpuSeconds - cpuSeconds) * 1000) / (last.at - from), last.at - from);

const usageOf = ({ at, memoryBytes }: Counted, cores: number, windowMs: number): MeasuredUsage => ({
  usage: {
    cpu: formatQuantity(quantityOf(Math.round(cores * 1e9), "DecimalSI", -9)),
    memory: formatQuantity(quantityOf(Math.round(memoryBytes), "BinarySI")),
  },
  at,
  windowMs,
});

/** Over how long a kubelet measures a rate. */
const kubeletWindowMs = 10_000;

const youngestMs = 10_000;
