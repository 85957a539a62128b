/** The provisioner of volumes that are folders of a node. */
export const localProvisioner = "wherry.io/local";

/** On such a volume: the node that has its folder. */
export const volumeNode = "wherry.io/node";

/** The folders of such volumes on each node. */
export const localVolumesRoot = "/var/lib/wherry/volumes";

/**
 * Held by the node while it may have data of a volume: a node adds it before it makes the folder, and removes it
 * after it has removed the folder.
 */
export const localDataFinalizer = "wherry.io/local-data";
