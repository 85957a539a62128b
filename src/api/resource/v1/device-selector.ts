import { message, string } from "../../../schema/field.ts";
import type { At } from "../../../schema/report.ts";
import { type Infer, struct } from "../../../schema/struct.ts";
import { byteLength, validateItems } from "./bounded.ts";
import { inEachVersion, nameIn } from "./versions.ts";

export const celDeviceSelector = inEachVersion((version) =>
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

/** The rules of selectors, but for what a compiler of CEL would find. */
export function validateSelectors(selectors: readonly DeviceSelector[] | undefined, at: At): void {
  validateItems(selectors, at, {
    max: maxSelectors,
    item({ cel }, here) {
      if (!cel) here.required("cel");
      else if (byteLength(cel.expression) > maxExpression)
        here.tooLong("cel.expression", maxExpression);
    },
  });
}
