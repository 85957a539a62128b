import { apiVersionOf, type Column, type Kind } from "../../../schema/language/kind.ts";
import type { At } from "../../../schema/language/report.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { structForm } from "../../../schema/language/struct-form.ts";

/** What is written to a subresource, and is no resource of its own: a Scale, an Eviction. */
export function unlistedKind<T, I>(definition: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly struct: Struct<T, I>;
  readonly alsoReads?: readonly string[];
  readonly columns?: readonly Column<T>[];
  readonly validate?: (object: T, at: At) => void;
}): Kind<T, I> {
  const { group, version, kind, struct, alsoReads, columns = [] } = definition;
  const { validate = () => {} } = definition;
  return {
    group,
    version,
    kind,
    plural: "",
    singular: "",
    scope: "Namespaced",
    shortNames: [],
    categories: [],
    verbs: [],
    stability: "stable",
    isStored: false,
    storagePrefix: "",
    form: structForm({
      apiVersion: apiVersionOf(definition),
      kind,
      struct: struct as Struct,
      list: struct as Struct,
    }),
    struct,
    alsoReads,
    list: struct as Struct,
    subresources: [],
    columns: columns as Kind["columns"],
    selectableFields: {},
    strategy: {},
    fieldAnnotations: [],
    validatesMetadata: true,
    validateCreate: validate,
    validateUpdate: (object, _, at) => validate(object, at),
    validateStatusUpdate: (object, _, at) => validate(object, at),
  };
}
