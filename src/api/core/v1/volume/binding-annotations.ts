/** On a claim: it has been bound once. From then on the loss of its volume is final. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";

/** On a volume or claim: the binding was chosen by a controller, not by a user. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";

/** On a claim: the node that the scheduler chose for its first pod. */
export const selectedNode = "volume.kubernetes.io/selected-node";

/** On a volume: the provisioner that made it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** On a claim: the provisioner that is to make its volume. */
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";

/** The former name of `storageProvisioner`, which is still written. */
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";

/** On a volume or claim: the CSI driver that took over from a plugin of Kubernetes itself. */
export const migratedTo = "pv.kubernetes.io/migrated-to";
