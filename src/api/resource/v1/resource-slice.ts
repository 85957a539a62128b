import { value } from "../../../schema/language/field.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import type { Write } from "../../../schema/language/write.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { type ResourceSliceSpec, resourceSliceSpec } from "./resource-slice-spec.ts";
import { validateSliceSpec } from "./resource-slice-validation.ts";
import { dropDisabledSliceFields } from "./slice-features.ts";
import { define, group, type Version } from "./versions.ts";

/** The kind in a version. */
export const resourceSlice = (version: Version) =>
  define({
    group,
    version,
    kind: "ResourceSlice",
    plural: "resourceslices",
    scope: "Cluster",
    doc: "Devices that a driver has, as a part of a pool.",
    name: nameIsDnsSubdomain,
    fields: {
      spec: value(2, resourceSliceSpec(version)).expected().doc("The devices."),
    },
    rules: [({ spec }, at) => validateSliceSpec(spec, at.child("spec"), undefined)],
    updateRules: ({ spec }, old, { at }) => validateSliceSpec(spec, at.child("spec"), old.spec),
    strategy: {
      generation: { spec: resourceSliceSpec(version) },
      finish({ spec }, old, write) {
        dropDisabledSliceFields(spec, old?.spec);
        dateTaints(spec, write);
      },
      deleteReturnsObject: true,
      warnings: ({ spec: { driver } }) =>
        driver === driver.toLowerCase()
          ? []
          : [
              `spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`,
            ],
    },
    columns: [
      nameColumn,
      {
        name: "Node",
        type: "string",
        description:
          "NodeName identifies the node which provides the resources in this pool. A field selector can be used to list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit access from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that adding new nodes of the same type as some old node might also make new resources available.\n\nExactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This field is immutable.",
        cell: ({ spec }) => spec.nodeName ?? "",
      },
      {
        name: "Driver",
        type: "string",
        description:
          "Driver identifies the DRA driver providing the capacity information. A field selector can be used to list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It should use only lower case characters. This field is immutable.",
        cell: ({ spec }) => spec.driver,
      },
      {
        name: "Pool",
        type: "string",
        description:
          "Name is used to identify the pool. For node-local devices, this is often the node name, but this is not required.\n\nIt must not be longer than 253 characters and must consist of one or more DNS sub-domains separated by slashes. This field is immutable.",
        cell: ({ spec }) => spec.pool.name,
      },
      ageColumn,
    ],
    selectableFields: {
      "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
      "spec.driver": ({ spec }) => spec.driver,
    },
  });

export const ResourceSlice = kind(resourceSlice("v1"));
export interface ResourceSlice extends ObjectOf<typeof ResourceSlice> {}

/** Taints without a time were added by this write. */
function dateTaints({ devices = [] }: Draft<ResourceSliceSpec>, { now }: Write): void {
  for (const { taints = [] } of devices) for (const taint of taints) taint.timeAdded ??= now;
}
