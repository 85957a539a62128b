import type { At } from "../../../schema/language/report.ts";
import { isDns1035Label } from "../../../schema/values/names.ts";
import type { CustomResourceDefinitionNames } from "./custom-resource-definition-spec.ts";

/** The rules of the names of a resource, in so far as they are given. */
export function validateNames(names: CustomResourceDefinitionNames, at: At): void {
  for (const name of ["plural", "singular"] as const) {
    const value = names[name];
    if (value) validateLabel(name, value, at);
  }
  for (const name of ["kind", "listKind"] as const) {
    const value = names[name];
    const faults = value ? isDns1035Label(value.toLowerCase()) : [];
    if (faults.length > 0)
      at.invalid(
        name,
        value,
        `may have mixed case, but should otherwise match: ${faults.join(",")}`,
      );
  }
  for (const [i, name] of (names.shortNames ?? []).entries())
    validateLabel("", name, at.child("shortNames").index(i));
  if (names.kind && names.kind === names.listKind)
    at.invalid("listKind", names.listKind, "kind and listKind may not be the same");
  for (const [i, name] of (names.categories ?? []).entries())
    validateLabel("", name, at.child("categories").index(i));
}

/** A DNS label, with all that is wrong with it in one error. */
export function validateLabel(field: string, value: string, at: At): void {
  const faults = isDns1035Label(value);
  if (faults.length > 0) at.invalid(field, value, faults.join(","));
}
