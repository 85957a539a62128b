import { value } from "../../../schema/language/field.ts";
import { nameIsLongName } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { deviceClassSpec, validateDeviceClassSpec } from "./device-class-spec.ts";
import { define, group, type Version } from "./versions.ts";

/** The kind in a version. */
export const deviceClass = (version: Version) =>
  define({
    group,
    version,
    kind: "DeviceClass",
    plural: "deviceclasses",
    scope: "Cluster",
    doc: "Devices of one sort, which claims ask for by the name of the class.",
    // What a name is generated from is not looked at, but the name is.
    name: nameIsLongName,
    fields: {
      spec: value(2, deviceClassSpec(version)).expected().doc("Which devices are of the class."),
    },
    rules: [({ spec }, at) => validateDeviceClassSpec(spec, at.child("spec"), undefined)],
    firstUpdateRules: (_class, _old, { metadata }) => metadata(),
    updateRules: ({ spec }, old, { at }) =>
      validateDeviceClassSpec(spec, at.child("spec"), old.spec),
    strategy: {
      generation: { spec: deviceClassSpec(version) },
      deleteReturnsObject: true,
    },
    columns: [nameColumn, ageColumn],
  });

export const DeviceClass = kind(deviceClass("v1"));
export interface DeviceClass extends ObjectOf<typeof DeviceClass> {}
