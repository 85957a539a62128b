import { isQualifiedName, isValidLabelValue } from "../../../../schema/values/names.ts";
import type { Taint, TaintChanges } from "./change-taints.ts";

/** Reads `key=value:effect`, and with a dash at the end, taints to remove: `key:effect-`, `key-`. */
export function parseTaints(specs: readonly string[]): TaintChanges {
  const add: Taint[] = [];
  const remove: Taint[] = [];
  for (const spec of specs) {
    if (spec.endsWith("-")) {
      const { key, effect } = parseTaint(spec.slice(0, -1));
      remove.push({ key, effect });
      continue;
    }
    const taint = parseTaint(spec);
    if (taint.effect === "") throw new Error(`invalid taint spec: ${spec}`);
    if (add.some(({ key, effect }) => key === taint.key && effect === taint.effect))
      throw new Error(
        `duplicated taints with the same key and effect: {${taint.key} ${taint.value ?? ""} ${taint.effect} <nil>}`,
      );
    add.push(taint);
  }
  return { add, remove };
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function parseTaint(spec: string): Taint {
  const fail = (faults: readonly string[] = []): never => {
    const why = faults.length > 0 ? `, ${faults.join("; ")}` : "";
    throw new Error(`invalid taint spec: ${spec}${why}`);
  };
  const [pair = "", effect = "", ...more] = spec.split(":");
  if (more.length > 0) fail();
  const hasEffect = spec.includes(":");
  if (hasEffect && !effects.includes(effect))
    throw new Error(`invalid taint effect: ${effect}, unsupported taint effect`);
  const [key = "", value, ...values] = hasEffect ? pair.split("=") : [pair];
  if (values.length > 0) fail();
  const valueFaults = value === undefined ? [] : isValidLabelValue(value);
  if (valueFaults.length > 0) fail(valueFaults);
  const keyFaults = isQualifiedName(key);
  if (keyFaults.length > 0) fail(keyFaults);
  return { key, ...(value !== undefined && value !== "" && { value }), effect };
}
