import { message, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { byteLength, validateItems } from "./bounded.ts";
import { deviceExpressionFault } from "./device-expression.ts";
import { inEachVersion, nameIn } from "./versions.ts";

const celDeviceSelector = inEachVersion((version) =>
  struct(nameIn(version, "CELDeviceSelector"), {
    expression: string(1)
      .always()
      .expected()
      .doc("An expression in CEL that is true for the devices that fit."),
  }).doc("Selects devices by an expression."),
);

export const deviceSelector = inEachVersion((version) =>
  struct(nameIn(version, "DeviceSelector"), {
    cel: message(1, celDeviceSelector(version)).doc("An expression that tells which devices fit."),
  }).doc("Selects devices."),
);
export interface DeviceSelector extends Infer<ReturnType<typeof deviceSelector>> {}

const maxSelectors = 32;
const maxExpression = 10 * 1024;

/** How expressions are compiled. */
export interface SelectorOptions {
  /** They are stored already, and may use what expressions of this version may not yet. */
  readonly stored?: boolean;
}

/** The rules of selectors: each has an expression that compiles and costs not too much. */
export function validateSelectors(
  selectors: readonly DeviceSelector[] | undefined,
  at: At,
  { stored = false }: SelectorOptions = {},
): void {
  validateItems(selectors, at, {
    max: maxSelectors,
    item({ cel }, here) {
      if (!cel) here.required("cel");
      else validateExpression(cel.expression, here.child("cel"), stored);
    },
  });
}

function validateExpression(expression: string, at: At, stored: boolean): void {
  if (byteLength(expression) > maxExpression) {
    at.tooLong("expression", maxExpression);
    return;
  }
  const fault = deviceExpressionFault(expression, { stored });
  if (fault === undefined) return;
  if ("invalid" in fault) at.invalid("expression", expression, fault.invalid);
  else if ("internal" in fault) at.internal("expression", fault.internal);
  else at.forbidden("expression", fault.forbidden);
}
