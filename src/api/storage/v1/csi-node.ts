import { int32, list, message, string, strings, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isQualifiedName, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { validateCsiDriverName } from "../../core/v1/volume/sources/csi.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";

export const VolumeNodeResources = struct("io.k8s.api.storage.v1.VolumeNodeResources", {
  count: int32(1).pointer().doc("How many volumes the node can use; without it, any number."),
}).doc("What a node has to offer to a driver.");
export interface VolumeNodeResources extends Infer<typeof VolumeNodeResources> {}

export const CSINodeDriver = struct("io.k8s.api.storage.v1.CSINodeDriver", {
  name: string(1).always().expected().doc("Name of the driver."),
  nodeID: string(2).always().expected().doc("The driver's name of the node."),
  topologyKeys: strings(3)
    .always()
    .atomic()
    .doc("Labels of the node that say from where the driver's volumes can be reached."),
  allocatable: message(4, VolumeNodeResources).doc("How many volumes of the driver it can use."),
}).doc("A CSI driver on a node.");
export interface CSINodeDriver extends Infer<typeof CSINodeDriver> {}

export const CSINodeSpec = struct("io.k8s.api.storage.v1.CSINodeSpec", {
  drivers: list(1, CSINodeDriver)
    .always()
    .expected()
    .keyedBy("name")
    .doc("The drivers on the node."),
}).doc("The CSI drivers of a node.");
export interface CSINodeSpec extends Infer<typeof CSINodeSpec> {}

export const CSINode = kind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  scope: "Cluster",
  doc: "What the CSI drivers on a node tell of it; it has the node's name.",
  name: nameIsDnsSubdomain,
  fields: { spec: value(2, CSINodeSpec).expected().doc("The drivers of the node.") },
  rules: [({ spec }, at) => validateDrivers(spec.drivers ?? [], at.child("spec").child("drivers"))],
  metadataUpdateRules: false,
  updateRules({ spec }, old, { at, create }) {
    create();
    for (const before of old.spec.drivers ?? [])
      for (const driver of spec.drivers ?? [])
        if (driver.name === before.name && !sameButAllocatable(driver, before)) {
          const { allocatable: _, ...shown } = driver;
          at.invalid("spec.drivers", internalForm(CSINodeDriver, shown), "field is immutable");
        }
  },
  strategy: { conditionalUpdateOnly: true, deleteReturnsObject: true },
  columns: [
    nameColumn,
    {
      name: "Drivers",
      type: "integer",
      description: "Drivers indicates the number of CSI drivers registered on the node",
      cell: ({ spec }) => spec.drivers?.length ?? 0,
    },
    ageColumn,
  ],
});
export interface CSINode extends ObjectOf<typeof CSINode> {}

const sameButAllocatable = (a: CSINodeDriver, b: CSINodeDriver): boolean =>
  a.nodeID === b.nodeID && sameValue(a.topologyKeys, b.topologyKeys);

const maxNodeId = 256;
const encoder = new TextEncoder();

function validateDrivers(drivers: readonly CSINodeDriver[], at: At): void {
  const names = new Set<string>();
  for (const [i, driver] of drivers.entries()) {
    const here = at.index(i);
    validateCsiDriverName(driver.name, here.child("name"));
    if (!driver.nodeID) here.required("nodeID");
    if (encoder.encode(driver.nodeID).length > maxNodeId)
      here.invalid("nodeID", driver.nodeID, `must be ${maxNodeId} characters or less`);
    const count = driver.allocatable?.count ?? 0;
    if (count < 0) here.invalid("allocatable.count", count, "must be greater than or equal to 0");
    if (names.has(driver.name)) here.duplicate("name", driver.name);
    names.add(driver.name);
    validateTopologyKeys(driver.topologyKeys ?? [], here);
  }
}

/** Upstream reports them at the driver. */
function validateTopologyKeys(keys: readonly string[], at: At): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (key === "") at.required();
    if (seen.has(key)) at.duplicate("", key);
    seen.add(key);
    at.invalidEach("", key, isQualifiedName(key));
  }
}
