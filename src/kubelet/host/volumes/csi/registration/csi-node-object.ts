import type { Node } from "../../../../../api/core/v1/node/node.ts";
import { migratedPlugins } from "../../../../../api/core/v1/volume/migrated-plugins.ts";
import type { CSINode, CSINodeDriver } from "../../../../../api/storage/v1/csi-node.ts";
import type { DriverNodeInfo } from "./node-identity.ts";

/** The parts of a CSINode that a kubelet writes. */
export type CsiNodeDraft = Pick<CSINode, "metadata" | "spec">;

/** The CSINode of a node without drivers. */
export const initialCsiNode = ({ metadata: { name = "", uid = "" } }: Node): CsiNodeDraft =>
  withMigratedPlugins({
    metadata: { name, ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] },
    spec: { drivers: [] },
  } as unknown as CsiNodeDraft);

/** Whether a CSINode belongs to a node, and not to an earlier one of the same name. */
export const isOwnedBy = ({ metadata }: CsiNodeDraft, node: Node): boolean =>
  metadata.ownerReferences?.some(
    ({ kind, name, uid }) =>
      kind === "Node" && name === node.metadata.name && uid === node.metadata.uid,
  ) ?? false;

/** The owner that a CSINode has instead. */
export const ownerUidOf = ({ metadata }: CsiNodeDraft): string =>
  metadata.ownerReferences?.filter(({ kind }) => kind === "Node").at(-1)?.uid ?? "";

/**
 * A CSINode that says which kinds of volumes are left to drivers: all of clouds, since Kubernetes has no code for
 * them any more. The same object if it says so.
 */
export function withMigratedPlugins<T extends CsiNodeDraft>(csiNode: T): T {
  const { annotations = {} } = csiNode.metadata;
  const known = new Set(annotations[migratedKey]?.split(","));
  if (known.size === migrated.length && migrated.every((name) => known.has(name))) return csiNode;
  const metadata = {
    ...csiNode.metadata,
    annotations: { ...annotations, [migratedKey]: migrated.join(",") },
  };
  return { ...csiNode, metadata };
}

const migratedKey = "storage.alpha.kubernetes.io/migrated-plugins";
const migrated = migratedPlugins.map(({ plugin }) => plugin);

/** A CSINode with a driver; the same object if it has it. */
export function withCsiDriver(csiNode: CSINode, driver: string, info: DriverNodeInfo): CSINode {
  const drivers = csiNode.spec.drivers ?? [];
  const entry = driverEntry(driver, info);
  const complete = withMigratedPlugins(csiNode);
  const existing = drivers.find(({ name }) => name === driver);
  if (existing && isSame(existing, entry)) return complete;
  const others = drivers.filter(({ name }) => name !== driver);
  return { ...complete, spec: { ...csiNode.spec, drivers: [...others, entry] } };
}

/** A CSINode without a driver; the same object if it has none. */
export function withoutCsiDriver(csiNode: CSINode, driver: string): CSINode {
  const drivers = csiNode.spec.drivers ?? [];
  const others = drivers.filter(({ name }) => name !== driver);
  if (others.length === drivers.length) return csiNode;
  return { ...csiNode, spec: { ...csiNode.spec, drivers: others } };
}

function driverEntry(name: string, { nodeId, maxVolumes, topology }: DriverNodeInfo) {
  return {
    name,
    nodeID: nodeId,
    topologyKeys: Object.keys(topology).sort(),
    ...(maxVolumes > 0 && { allocatable: { count: Math.min(maxVolumes, mostVolumes) } }),
  } as CSINodeDriver;
}

const mostVolumes = 2 ** 31 - 1;

const isSame = (a: CSINodeDriver, b: CSINodeDriver): boolean =>
  a.nodeID === b.nodeID &&
  a.allocatable?.count === b.allocatable?.count &&
  [...(a.topologyKeys ?? [])].sort().join() === [...(b.topologyKeys ?? [])].sort().join();
