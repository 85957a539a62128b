import { int64, raw } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { validateNonnegative } from "./replica-validation.ts";

export const ControllerRevision = kind({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  scope: "Namespaced",
  doc: "A state that a controller can go back to. Never changes.",
  name: nameIsDnsSubdomain,
  fields: {
    data: raw(2).always().doc("The state, as the controller writes it."),
    revision: int64(3).always().expected().doc("The place of the state among others."),
  },
  rules: [
    (object, at) => {
      validateNonnegative(object, at, "revision");
      validateData(object.data, at);
    },
  ],
  updateRules(object, old, { at, metadata }) {
    metadata();
    validateNonnegative(object, at, "revision");
    if (JSON.stringify(object.data) !== JSON.stringify(old.data))
      at.invalid("data", object.data ?? null, "field is immutable");
  },
  columns: [
    nameColumn,
    {
      name: "Controller",
      type: "string",
      description: "Controller of the object",
      cell: ({ metadata }) => controllerName(metadata),
    },
    {
      name: "Revision",
      type: "string",
      description: "Revision indicates the revision of the state represented by Data.",
      cell: ({ revision }) => revision,
    },
    ageColumn,
  ],
});
export interface ControllerRevision extends ObjectOf<typeof ControllerRevision> {}

function validateData(data: unknown, at: At): void {
  if (data === undefined || data === null) at.required("data", "data is mandatory");
  else if (typeof data !== "object" || Array.isArray(data))
    at.required("data", "data must be a valid JSON object");
}

/** `statefulset.apps/db` */
function controllerName({ ownerReferences = [] }: ObjectMeta): string {
  const owner = ownerReferences.find(({ controller }) => controller);
  if (!owner) return "<none>";
  const slash = owner.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group.toLowerCase()}/${owner.name}`;
}
