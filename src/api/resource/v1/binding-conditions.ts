import type { At } from "../../../schema/language/report.ts";
import { validateLabelName } from "../../meta/v1/label-selector.ts";
import { validateItems } from "./bounded.ts";

interface Binding {
  readonly bindingConditions?: readonly string[] | undefined;
  readonly bindingFailureConditions?: readonly string[] | undefined;
}

const maxConditions = 4;

/** Conditions that a pod waits for, and those that tell that it waits in vain: both, or neither. */
export function validateBindingConditions(binding: Binding, at: At): void {
  const wanted = binding.bindingConditions ?? [];
  const failures = binding.bindingFailureConditions ?? [];
  const rule = { max: maxConditions, item: validateLabelName };
  const wantedAt = at.child("bindingConditions");
  const failuresAt = at.child("bindingFailureConditions");
  validateItems(wanted, wantedAt, rule);
  validateItems(failures, failuresAt, rule);
  for (const [i, condition] of wanted.entries())
    if (wanted.indexOf(condition) < i) wantedAt.index(i).duplicate("", condition);
  for (const [i, condition] of failures.entries()) {
    if (failures.indexOf(condition) < i) failuresAt.index(i).duplicate("", condition);
    if (wanted.includes(condition))
      failuresAt
        .index(i)
        .invalid("", condition, "bindingFailureConditions must not overlap with bindingConditions");
  }
  if (wanted.length === 0 && failures.length > 0)
    wantedAt.invalid(
      "",
      binding.bindingConditions,
      "bindingConditions are required to use bindingFailureConditions",
    );
  if (failures.length === 0 && wanted.length > 0)
    failuresAt.invalid(
      "",
      binding.bindingFailureConditions,
      "bindingFailureConditions are required to use bindingConditions",
    );
}
