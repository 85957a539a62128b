import type { IdMapping, IdMappings } from "../containers/container-settings.ts";

/** The users of a user namespace: the file of the namespace, and the IDs that they have on the node. */
export interface MappedUsers extends IdMappings {
  readonly path: string;
}

/** The ID on the node of a user or group of a container: that of nobody without a mapping for it. */
export function mappedId(id: number, mappings: readonly IdMapping[] | undefined): number {
  if (!mappings) return id;
  const range = mappings.find(
    ({ containerID, size }) => id >= containerID && id < containerID + size,
  );
  return range ? range.hostID + id - range.containerID : nobody;
}

const nobody = 65534;
