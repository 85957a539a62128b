import { KustomizeError } from "../kustomize-error.ts";
import { compareGvk, emptyGvk, type Gvk, isSelected } from "../resources/gvk.ts";

/** A field of the objects of some kinds: names with slashes between. */
export interface FieldSpec extends Gvk {
  readonly path: string;
  /** Whether the field is made where it is missing. */
  readonly create: boolean;
}

/** A field specification, of all kinds unless it names some. */
export const fieldSpec = (path: string, rest: Partial<FieldSpec> = {}): FieldSpec => ({
  ...emptyGvk,
  create: false,
  ...rest,
  path,
});

/** Adds field specifications to others, without those that are there. */
export function mergeFieldSpecs(
  specs: readonly FieldSpec[],
  added: readonly FieldSpec[],
): readonly FieldSpec[] {
  const merged = [...specs];
  for (const spec of added) {
    const same = merged.find((other) => other.path === spec.path && isSelected(other, spec));
    if (same === undefined) merged.push(spec);
    else if (same.create !== spec.create) throw new KustomizeError("conflicting fieldspecs");
  }
  return merged;
}

/** Field specifications in the order of their kinds. */
export const sortFieldSpecs = (specs: readonly FieldSpec[]): readonly FieldSpec[] =>
  specs.toSorted((a, b) => compareGvk(a, b));
