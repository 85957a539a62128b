import type { At } from "../../../schema/language/report.ts";
import { validateMap } from "./bounded.ts";
import type { CounterSet, DeviceCounterConsumption } from "./device-capacity.ts";
import { validateShortName } from "./resource-names.ts";

const maxCounters = 32;

/** A set of counters that has a name, or that names one. */
export function validateCounters<N extends "name" | "counterSet">(
  set: Readonly<Record<N, string>> & Pick<CounterSet | DeviceCounterConsumption, "counters">,
  at: At,
  nameField: N,
): void {
  if (!set[nameField]) at.required(nameField);
  else validateShortName(set[nameField], at.child(nameField));
  if (Object.keys(set.counters ?? {}).length === 0) at.required("counters");
  else
    validateMap(set.counters, at.child("counters"), {
      max: maxCounters,
      maxKey: 63,
      key: validateShortName,
    });
}
