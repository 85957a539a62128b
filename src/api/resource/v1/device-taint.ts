import { int64, named, string, time } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isValidLabelValue } from "../../../schema/values/names.ts";
import { validateLabelName } from "../../meta/v1/label-selector.ts";
import { inEachVersion, nameIn } from "./versions.ts";

const effects = ["None", "NoSchedule", "NoExecute"] as const;

export const deviceTaint = inEachVersion((version) =>
  struct(nameIn(version, "DeviceTaint"), {
    key: string(1).always().expected().doc("What the taint is called."),
    value: string(2).doc("A value that goes with the key."),
    effect: named(3, `${version}.DeviceTaintEffect`)
      .always()
      .expected()
      .known(...effects)
      .doc("What becomes of claims that do not tolerate it, and of their pods."),
    timeAdded: time(4).doc("Since when it has had this effect."),
  }).doc("Keeps claims that do not tolerate it from a device."),
);
export interface DeviceTaint extends Infer<ReturnType<typeof deviceTaint>> {}

export const deviceToleration = inEachVersion((version) =>
  struct(nameIn(version, "DeviceToleration"), {
    key: string(1).doc("The key of the taints that are tolerated; none for all keys."),
    operator: named(2, `${version}.DeviceTolerationOperator`)
      .known("Exists", "Equal")
      .default("Equal")
      .doc("Whether the value must be equal, or need not be looked at."),
    value: string(3).doc("The value of the taints that are tolerated."),
    effect: named(4, `${version}.DeviceTaintEffect`)
      .known(...effects)
      .doc("The effect of the taints that are tolerated; none for all effects."),
    tolerationSeconds: int64(5)
      .pointer()
      .doc("Seconds for which NoExecute is tolerated; without it, for ever."),
  }).doc("Lets a claim have devices with certain taints."),
);
export interface DeviceToleration extends Infer<ReturnType<typeof deviceToleration>> {}

const supportedEffects = ["NoExecute", "NoSchedule", "None"];

/** The rules of a taint; an effect that it had before is not looked at again. */
export function validateDeviceTaint(
  { key, value = "", effect }: DeviceTaint,
  at: At,
  old?: DeviceTaint,
): void {
  validateLabelName(key, at.child("key"));
  if (value !== "") at.invalidEach("value", value, isValidLabelValue(value));
  if (old?.effect === effect) return;
  if (effect === "") at.required("effect");
  else validateEffect(effect, at);
}

export function validateDeviceToleration(
  { key = "", operator, value = "", effect = "" }: DeviceToleration,
  at: At,
): void {
  if (key !== "") validateLabelName(key, at.child("key"));
  if (operator === "Exists") {
    if (value !== "") at.invalid("value", value, "must be empty for operator `Exists`");
  } else if (operator === "Equal") at.invalidEach("value", value, isValidLabelValue(value));
  else if (!operator) at.required("operator");
  else at.notSupported("operator", operator, ["Equal", "Exists"]);
  if (effect !== "") validateEffect(effect, at);
}

function validateEffect(effect: string, at: At): void {
  if (!supportedEffects.includes(effect)) at.notSupported("effect", effect, supportedEffects);
}

/** Whether a toleration is about a taint, whose effect still matters. */
export function toleratesDeviceTaint(
  { key = "", operator = "Equal", value = "", effect = "" }: DeviceToleration,
  taint: DeviceTaint,
): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}
