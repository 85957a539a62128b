import { totalmem } from "node:os";
import { quote } from "../../../schema/values/quote.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import type { QosReserve } from "../../pod/linux/memory-qos.ts";

/** How much of requested memory is kept from pods of lower classes; nothing without the feature QOSReserved. */
export function qosReserve(
  { qosReserved = {} }: Pick<KubeletConfiguration, "qosReserved">,
  { features, bytes }: { readonly features: ReadonlySet<string>; readonly bytes: number },
): QosReserve | undefined {
  const { memory } = qosReserved;
  if (memory === undefined || !features.has("QOSReserved")) return undefined;
  return { percent: Number.parseInt(memory, 10), allocatableBytes: totalmem() - bytes };
}

/** What is wrong with the amounts that are kept. */
export function qosReservedProblems({
  qosReserved = {},
}: Pick<KubeletConfiguration, "qosReserved">): string[] {
  for (const [name, percent] of Object.entries(qosReserved)) {
    if (name !== "memory") return [`cannot reserve ${quote(name)} resource`];
    const fault = percentFault(percent);
    if (fault !== undefined)
      return [`failed to parse percentage ${quote(percent)} for ${quote(name)} resource: ${fault}`];
  }
  return [];
}

function percentFault(text: string): string | undefined {
  if (!text.endsWith("%")) return `percentage expected, got '${text}'`;
  const number = text.replace(/%+$/, "");
  if (!/^[+-]?\d+$/.test(number)) return `invalid number in percentage '${text}'`;
  const percent = Number(number);
  return percent >= 0 && percent <= 100 ? undefined : "percentage must be between 0 and 100";
}
