import { string, stringMap } from "../../../schema/language/field.ts";
import type { Column } from "../../../schema/language/kind.ts";
import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf, type ObjectValue, type UpdateCheck } from "../../meta/v1/kind.ts";
import { validateParameters, validateProvisioner } from "./provisioner.ts";

const fields = {
  driverName: string(2).always().expected().doc("The CSI driver. Never changes."),
  parameters: stringMap(3).doc("What the driver is told. Never changes."),
};
type Body = ObjectValue<typeof fields>;

const columns: readonly Column<Body>[] = [
  nameColumn,
  {
    name: "DriverName",
    type: "string",
    description: "Name of the CSI driver This field is immutable.",
    cell: ({ driverName }) => driverName,
  },
  ageColumn,
];

/** All that the versions of the kind have in common. */
export const volumeAttributesClass = {
  group: "storage.k8s.io",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  shortNames: ["vac"],
  scope: "Cluster",
  doc: "Attributes that a CSI driver can give to volumes, and change later.",
  name: nameIsDnsSubdomain,
  fields,
  rules: [validateClass],
  updateRules(attributesClass: Body, old: Body, { at, create }: UpdateCheck): void {
    if (attributesClass.driverName !== old.driverName)
      at.forbidden("driverName", "updates to driverName are forbidden.");
    if (!sameValue(attributesClass.parameters, old.parameters))
      at.forbidden("parameters", "updates to parameters are forbidden.");
    create();
  },
  strategy: { deleteReturnsObject: true },
  columns,
} as const;

export const VolumeAttributesClass = kind({ version: "v1", ...volumeAttributesClass });
export interface VolumeAttributesClass extends ObjectOf<typeof VolumeAttributesClass> {}

function validateClass({ driverName, parameters }: Body, at: At): void {
  validateProvisioner(driverName, at.child("driverName"));
  validateParameters(parameters, at.child("parameters"));
  if (Object.keys(parameters ?? {}).length === 0)
    at.required("parameters", "must contain at least one key/value pair");
}
