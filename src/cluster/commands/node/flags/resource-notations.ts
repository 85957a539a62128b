import { isHugePageResource } from "../../../../api/core/v1/resource-name.ts";
import type { Taint } from "../../../../api/core/v1/scheduling/taint.ts";
import type { KubeletConfiguration } from "../../../../kubelet/config/kubelet-configuration.ts";
import { isQualifiedName, isValidLabelValue } from "../../../../schema/values/names.ts";
import { canonicalQuantity } from "../../../../schema/values/quantity.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { Notation } from "./config-flag.ts";

/** Taints like `key=value:NoSchedule`, separated by commas; the last occurrence counts. */
export const taintsNotation: Notation = {
  type: "[]v1.Taint",
  read(text) {
    if (text === "") return [];
    const taints: Taint[] = [];
    for (const spec of text.split(",")) {
      // As in kubectl taint, a dash at the end would remove the taint.
      if (spec.endsWith("-")) {
        parseTaint(spec.slice(0, -1));
        continue;
      }
      const taint = parseTaint(spec);
      if (taint.effect === "") throw new Error(`invalid taint spec: ${spec}`);
      const { key, value = "", effect } = taint;
      if (taints.some((other) => other.key === key && other.effect === effect))
        throw new Error(
          `duplicated taints with the same key and effect: {${key} ${value} ${effect} <nil>}`,
        );
      taints.push(taint);
    }
    return taints;
  },
  format: (value) =>
    ((value ?? []) as readonly Taint[])
      .map((taint) => `${taint.key}=${taint.value ?? ""}:${taint.effect}`)
      .join(","),
};

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function parseTaint(spec: string): Taint {
  const [pair = "", effect = "", ...more] = spec.split(":");
  const hasEffect = spec.includes(":");
  if (more.length > 0) throw new Error(`invalid taint spec: ${spec}`);
  if (hasEffect && !effects.includes(effect))
    throw new Error(`invalid taint effect: ${effect}, unsupported taint effect`);
  const [key = "", value = "", ...rest] = hasEffect ? pair.split("=") : [pair];
  if (rest.length > 0) throw new Error(`invalid taint spec: ${spec}`);
  for (const messages of [isValidLabelValue(value), isQualifiedName(key)])
    if (messages.length > 0) throw new Error(`invalid taint spec: ${spec}, ${messages.join("; ")}`);
  return { key, ...(value !== "" && { value }), effect };
}

type Reservation = NonNullable<KubeletConfiguration["reservedMemory"]>[number];

/** Reservations like `0:memory=1Gi,hugepages-1Gi=2Gi;1:memory=1Gi`; each occurrence adds to the earlier ones. */
export const reservedMemoryNotation: Notation = {
  type: "reserved-memory",
  read(text, before) {
    if (text === "") return before;
    const earlier = (before as readonly Reservation[] | undefined) ?? [];
    return [...earlier, ...text.split(";").map(parseReservation)];
  },
  format: (value) =>
    ((value ?? []) as readonly Reservation[]).map(formatReservation).sort().join(","),
};

function parseReservation(text: string): Reservation {
  const [node = "", limits, ...more] = text.split(":");
  if (limits === undefined || more.length > 0)
    throw new Error(
      `the reserved memory has incorrect format, expected numaNodeID:type=quantity[,type=quantity...], got ${text}`,
    );
  if (!/^[-+]?\d+$/.test(node))
    throw new Error(`failed to convert the NUMA node ID, expected integer, got ${node}`);
  return { numaNode: Number(node), limits: Object.fromEntries(limits.split(",").map(parseLimit)) };
}

function parseLimit(text: string): readonly [string, string] {
  const [name = "", amount, ...more] = text.split("=");
  if (amount === undefined || more.length > 0)
    throw new Error(`the reserved limit has incorrect value, expected type=quantity, got ${text}`);
  if (name !== "memory" && !isHugePageResource(name))
    throw new Error(`memory type conversion error, unknown type: ${quote(name)}`);
  try {
    return [name, canonicalQuantity(amount)];
  } catch {
    throw new Error(`failed to parse the quantity: ${amount}`);
  }
}

const formatReservation = ({ numaNode, limits = {} }: Reservation): string =>
  `${numaNode}:${Object.entries(limits)
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(",")}`;
