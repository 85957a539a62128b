import { message, string, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { resourceSlice, ResourceSlice as Stored } from "../v1/resource-slice.ts";
import {
  defaultMultipliers,
  deviceFields,
  type Device as StoredDevice,
  type ResourceSliceSpec as StoredSpec,
  sliceFields,
} from "../v1/resource-slice-spec.ts";
import { converted } from "./converted.ts";

const BasicDevice = struct("io.k8s.api.resource.v1beta1.BasicDevice", deviceFields("v1beta1", 1))
  .defaults(defaultMultipliers)
  .doc("What a device is.");

export const Device = struct("io.k8s.api.resource.v1beta1.Device", {
  name: string(1).always().expected().doc("What it is called in its pool."),
  basic: message(2, BasicDevice).doc("What it is."),
}).doc("Something that claims can ask for.");
export interface Device extends Infer<typeof Device> {}

export const ResourceSliceSpec = struct(
  "io.k8s.api.resource.v1beta1.ResourceSliceSpec",
  sliceFields("v1beta1", Device),
).doc("The devices of a slice.");
export interface ResourceSliceSpec extends Infer<typeof ResourceSliceSpec> {}

export const ResourceSlice = kind(
  converted(resourceSlice("v1"), {
    stored: Stored,
    fields: { spec: value(2, ResourceSliceSpec).expected().doc("The devices.") },
    toStored: (slice) => ({
      ...slice,
      apiVersion: "resource.k8s.io/v1",
      spec: toStoredSpec(slice.spec),
    }),
    fromStored: (slice) => ({
      ...slice,
      apiVersion: "resource.k8s.io/v1beta1",
      spec: fromStoredSpec(slice.spec),
    }),
  }),
);
export interface ResourceSlice extends ObjectOf<typeof ResourceSlice> {}

/** What is empty here is absent there. */
const toStoredSpec = (spec: ResourceSliceSpec): StoredSpec => ({
  ...spec,
  nodeName: spec.nodeName || undefined,
  allNodes: spec.allNodes || undefined,
  devices: spec.devices?.map(({ name, basic }) => ({ ...basic, name })),
});

const fromStoredSpec = (spec: StoredSpec): ResourceSliceSpec => ({
  ...spec,
  devices: spec.devices?.map(({ name, ...basic }: StoredDevice) => ({ name, basic })),
});
