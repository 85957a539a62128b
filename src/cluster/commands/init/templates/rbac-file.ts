import type { ProjectNames } from "../project-names.ts";

/** What the operator may do: what its code does, and events, which most operators come to record. */
export const rbacFile = ({ name, group, plural }: ProjectNames): string => `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  namespace: ${name}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ${name}
rules:
  - apiGroups: [${group}]
    resources: [${plural}]
    verbs: [get, list, watch]
  - apiGroups: [${group}]
    resources: [${plural}/status]
    verbs: [patch]
  # The deployment refers to its owner so that it blocks the owner's deletion: some clusters want a right for that.
  - apiGroups: [${group}]
    resources: [${plural}/finalizers]
    verbs: [update]
  - apiGroups: [apps]
    resources: [deployments]
    verbs: [get, list, watch, create, patch]
  # What \`ctx.events\` of a reconcile records.
  - apiGroups: [events.k8s.io]
    resources: [events]
    verbs: [create, patch]
  # The operator writes the configurations of its webhooks itself, with the certificates that it makes.
  - apiGroups: [admissionregistration.k8s.io]
    resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
    verbs: [create]
  - apiGroups: [admissionregistration.k8s.io]
    resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
    resourceNames: [${name}]
    verbs: [get, list, watch, patch, delete]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${name}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: ${name}
subjects:
  - kind: ServiceAccount
    name: ${name}
    namespace: ${name}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: ${name}
  namespace: ${name}
rules:
  # One of several pods is the leader.
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [create]
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    resourceNames: [${name}]
    verbs: [get, update]
  # The pods share the certificates of the webhooks.
  - apiGroups: [""]
    resources: [secrets]
    verbs: [create]
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: [${name}-webhooks]
    verbs: [get, list, watch, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: ${name}
  namespace: ${name}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: ${name}
subjects:
  - kind: ServiceAccount
    name: ${name}
    namespace: ${name}
`;
