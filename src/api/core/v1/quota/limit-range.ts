import { list, value } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { LimitRangeItem, validateLimitRangeItem } from "./limit-range-item.ts";

export const LimitRangeSpec = struct("io.k8s.api.core.v1.LimitRangeSpec", {
  limits: list(1, LimitRangeItem).always().expected().atomic().doc("The limits, by type."),
}).doc("What is limited in a namespace.");
export interface LimitRangeSpec extends Infer<typeof LimitRangeSpec> {}

export const LimitRange = kind({
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  shortNames: ["limits"],
  scope: "Namespaced",
  doc: "Bounds of what each object in a namespace may ask for, and what it gets unasked.",
  name: nameIsDnsSubdomain,
  metadataUpdateRules: false,
  fields: {
    spec: value(2, LimitRangeSpec).doc("What is limited."),
  },
  rules: [
    ({ spec }, at) => {
      const here = at.child("spec").child("limits");
      const seen = new Set<string>();
      for (const [i, item] of (spec.limits ?? []).entries())
        validateLimitRangeItem(item, here.index(i), seen);
    },
  ],
  updateRules: (_range, _old, { create }) => create(),
  strategy: {
    prepare({ metadata }, old) {
      // One without a name is named by a number that nothing else has.
      if (!old) metadata.name ||= metadata.uid;
    },
    createOnUpdate: true,
  },
  columns: [
    nameColumn,
    {
      ...ageColumn,
      name: "Created At",
      type: "date",
      cell: ({ metadata }) => metadata.creationTimestamp,
    },
  ],
});
export interface LimitRange extends ObjectOf<typeof LimitRange> {}
