import { localProvisioner } from "../../api/core/v1/volume/wherry-local-volume.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import { rbacGroup } from "../../api/rbac/v1/role-ref.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { Client } from "../../client/client.ts";

/**
 * Creates the default storage class, whose volumes are folders of nodes, and the rights of the provisioner and of the
 * nodes that have the folders. What exists is left as it is.
 */
export async function ensureLocalVolumes(client: Client): Promise<void> {
  await Promise.all([
    ...roles.map((role) => unlessPresent(client.create(ClusterRole, role))),
    ...bindings.map((one) => unlessPresent(client.create(ClusterRoleBinding, one))),
    unlessPresent(client.create(StorageClass, standard)),
  ]);
}

async function unlessPresent(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
  });
}

const standard = {
  metadata: {
    name: "standard",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  provisioner: localProvisioner,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
};

const provisioner = "wherry:local-volume-provisioner";
const ofNodes = "wherry:node-local-volumes";

const roles = [
  {
    metadata: { name: provisioner },
    rules: [
      {
        verbs: ["get", "list", "watch", "create", "update", "delete"],
        apiGroups: [""],
        resources: ["persistentvolumes"],
      },
      {
        verbs: ["get", "list", "watch", "update"],
        apiGroups: [""],
        resources: ["persistentvolumeclaims"],
      },
      { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["nodes"] },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["storage.k8s.io"],
        resources: ["storageclasses"],
      },
      {
        verbs: ["create", "patch", "update"],
        apiGroups: ["", "events.k8s.io"],
        resources: ["events"],
      },
    ],
  },
  {
    // NodeRestriction lets a node change only a finalizer of its own volumes.
    metadata: { name: ofNodes },
    rules: [
      {
        verbs: ["get", "list", "watch", "update"],
        apiGroups: [""],
        resources: ["persistentvolumes"],
      },
    ],
  },
];

const roleRef = (name: string) => ({ apiGroup: rbacGroup, kind: "ClusterRole", name });
const bindings = [
  {
    metadata: { name: provisioner },
    roleRef: roleRef(provisioner),
    subjects: [
      { kind: "ServiceAccount", namespace: "kube-system", name: "local-volume-provisioner" },
    ],
  },
  {
    metadata: { name: ofNodes },
    roleRef: roleRef(ofNodes),
    subjects: [{ kind: "Group", apiGroup: rbacGroup, name: "system:nodes" }],
  },
];
