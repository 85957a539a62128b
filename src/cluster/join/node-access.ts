import { clusterInfo } from "../../api/core/v1/cluster-info.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../../api/rbac/v1/role.ts";
import { RoleBinding } from "../../api/rbac/v1/role-binding.ts";
import { rbacGroup } from "../../api/rbac/v1/role-ref.ts";
import type { Subject } from "../../api/rbac/v1/subject.ts";
import type { Client } from "../../client/client.ts";

/** The group of bootstrap tokens with which nodes join. */
export const joiningGroup = "system:bootstrappers:wherry:default-node-token";

/**
 * Creates the roles and bindings by which nodes join, and get certificates. Those that exist are
 * left as they are: an administrator may have removed a subject.
 */
export async function ensureNodeAccess(client: Client): Promise<void> {
  await Promise.all([
    ...clusterRoles.map((role) => unlessPresent(client.create(ClusterRole, role))),
    ...clusterRoleBindings.map((one) => unlessPresent(client.create(ClusterRoleBinding, one))),
    ...[clusterInfoRole, dnsSlicesRole].map((role) => unlessPresent(client.create(Role, role))),
    ...[clusterInfoRoleBinding, dnsSlicesRoleBinding].map((one) =>
      unlessPresent(client.create(RoleBinding, one)),
    ),
  ]);
}

async function unlessPresent(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
  });
}

const group = (name: string): Subject => ({ kind: "Group", apiGroup: rbacGroup, name });
const user = (name: string): Subject => ({ kind: "User", apiGroup: rbacGroup, name });

const certificates = "certificates.k8s.io";
const servingApprover = "wherry:kubelet-serving-approver";
const getNodes = "wherry:get-nodes";

/** What the network of a node is made of. A daemon set that provides it would have the same rights on each node. */
const nodeNetwork = "wherry:node-network";
const networkObjects = [
  ["", ["services", "pods", "namespaces", "nodes"]],
  ["discovery.k8s.io", ["endpointslices"]],
  ["networking.k8s.io", ["networkpolicies", "servicecidrs"]],
] as const;

const clusterRoles = [
  {
    metadata: { name: nodeNetwork },
    rules: networkObjects.map(([group, resources]) => ({
      verbs: ["get", "list", "watch"],
      apiGroups: [group],
      resources: [...resources],
    })),
  },
  {
    metadata: { name: getNodes },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }],
  },
  {
    metadata: { name: servingApprover },
    rules: [
      {
        verbs: ["update"],
        apiGroups: [certificates],
        resources: ["certificatesigningrequests/approval"],
      },
      {
        verbs: ["approve"],
        apiGroups: [certificates],
        resources: ["signers"],
        resourceNames: ["kubernetes.io/kubelet-serving"],
      },
    ],
  },
];

const binding = (name: string, role: string, subject: Subject) => ({
  metadata: { name },
  roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: role },
  subjects: [subject],
});

const requests = "system:certificates.k8s.io:certificatesigningrequests";
const clusterRoleBindings = [
  binding(nodeNetwork, nodeNetwork, group("system:nodes")),
  binding("wherry:kubelet-bootstrap", "system:node-bootstrapper", group(joiningGroup)),
  binding(getNodes, getNodes, group(joiningGroup)),
  binding("wherry:node-autoapprove-bootstrap", `${requests}:nodeclient`, group(joiningGroup)),
  binding(
    "wherry:node-autoapprove-certificate-rotation",
    `${requests}:selfnodeclient`,
    group("system:nodes"),
  ),
  binding(servingApprover, servingApprover, {
    kind: "ServiceAccount",
    namespace: "kube-system",
    name: "kubelet-serving-approver",
  }),
];

/** Everybody may read cluster-info: who has a token can check its signature. */
const clusterInfoReader = {
  namespace: clusterInfo.namespace,
  name: "wherry:bootstrap-signer-clusterinfo",
};
const clusterInfoRole = {
  metadata: clusterInfoReader,
  rules: [
    {
      verbs: ["get"],
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: [clusterInfo.name],
    },
  ],
};
const clusterInfoRoleBinding = {
  metadata: clusterInfoReader,
  roleRef: { apiGroup: rbacGroup, kind: "Role", name: clusterInfoReader.name },
  subjects: [user("system:anonymous")],
};

/** The controller that makes nodes endpoints of kube-dns writes its slices, and no others. */
const dnsSlices = { namespace: "kube-system", name: "wherry:cluster-dns-endpoints" };
const dnsSlicesRole = {
  metadata: dnsSlices,
  rules: [
    // The name of an object that is created is not known to the authorizer.
    { verbs: ["create"], apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"] },
    {
      verbs: ["update", "delete"],
      apiGroups: ["discovery.k8s.io"],
      resources: ["endpointslices"],
      resourceNames: ["kube-dns-nodes-ipv4", "kube-dns-nodes-ipv6"],
    },
  ],
};
const dnsSlicesRoleBinding = {
  metadata: dnsSlices,
  roleRef: { apiGroup: rbacGroup, kind: "Role", name: dnsSlices.name },
  subjects: [{ kind: "ServiceAccount", namespace: "kube-system", name: "cluster-dns-endpoints" }],
};
