import { int64, named, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isValidLabelValue } from "../../../../schema/values/names.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { validateLabelName } from "../../../meta/v1/label-selector.ts";
import type { PodValidationOptions } from "../pod/validation/pod-validation-options.ts";

export const Toleration = struct("io.k8s.api.core.v1.Toleration", {
  key: string(1).doc("The key of the taints; empty, with the operator Exists, for all of them."),
  operator: named(2, "v1.TolerationOperator")
    .known("Exists", "Equal", "Lt", "Gt")
    .doc("How the taint's value relates to this one; Equal if not given."),
  value: string(3).doc("The value that the taint's is compared with."),
  effect: named(4, "v1.TaintEffect")
    .known("NoSchedule", "PreferNoSchedule", "NoExecute")
    .doc("The effect that is tolerated; all effects if not given."),
  tolerationSeconds: int64(5)
    .pointer()
    .doc("How long a NoExecute taint is tolerated; for ever if not given."),
}).doc("Taints that the pod puts up with.");
export interface Toleration extends Infer<typeof Toleration> {}

/** The effects that a taint may have. */
const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

/** The rules of a pod's tolerations. */
export function validateTolerations(
  tolerations: readonly Toleration[],
  at: At,
  options: PodValidationOptions = {},
): void {
  for (const [i, toleration] of tolerations.entries()) {
    const here = at.index(i);
    const { key = "", operator = "", effect = "", tolerationSeconds } = toleration;
    if (key !== "") validateLabelName(key, here.child("key"));
    else if (operator !== "Exists")
      here.invalid(
        "operator",
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    if (tolerationSeconds !== undefined && effect !== "NoExecute")
      here.invalid("effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    validateOperator(toleration, here, options);
    if (effect !== "" && !taintEffects.includes(effect as never))
      here.notSupported("effect", effect, taintEffects);
  }
}

function validateOperator(
  { operator = "", value = "" }: Toleration,
  at: At,
  { allowTaintTolerationComparisonOperators: comparison = false }: PodValidationOptions,
): void {
  switch (operator) {
    case "":
    case "Equal": {
      const messages = isValidLabelValue(value);
      if (messages.length > 0) at.invalid("operator", value, messages.join(";"));
      return;
    }
    case "Exists":
      if (value !== "")
        at.invalid("operator", value, "value must be empty when `operator` is 'Exists'");
      return;
    case "Lt":
    case "Gt":
      if (comparison) validateNumber(value, at);
      else at.notSupported("operator", operator, ["Equal", "Exists", "Lt", "Gt"]);
      return;
    default:
      at.notSupported("operator", operator, ["Equal", "Exists"]);
  }
}

function validateNumber(value: string, at: At): void {
  if (value === "") at.invalid("value", value, "must be non-empty");
  else if (!/^(0|-?[1-9][0-9]*)$/.test(value))
    at.invalid("value", value, "must be a valid decimal integer in canonical form");
  if (!/^[+-]?[0-9]+$/.test(value))
    at.invalid("value", value, `strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
  else if (BigInt.asIntN(64, BigInt(value)) !== BigInt(value))
    at.invalid("value", value, `strconv.ParseInt: parsing ${quote(value)}: value out of range`);
}
