import { allow, allowPaths, clusterRole, read, readWrite, write } from "./notation.ts";

/** The roles for users, and for programs that act on their behalf. */
export const userRoles = [
  clusterRole("admin", null, { madeOf: "admin" }),
  clusterRole("cluster-admin", [allow("*", "*", { of: "*" }), allowPaths("*", "*")]),
  clusterRole("edit", null, { partOf: "admin", madeOf: "edit" }),
  clusterRole(
    "system:aggregate-to-admin",
    [
      allow("create", "localsubjectaccessreviews", { of: "authorization.k8s.io" }),
      allow(readWrite, "rolebindings roles", { of: "rbac.authorization.k8s.io" }),
    ],
    { partOf: "admin" },
  ),
  clusterRole(
    "system:aggregate-to-edit",
    [
      allow(read, `pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy`),
      allow("impersonate", "serviceaccounts"),
      allow(write, "pods pods/attach pods/exec pods/portforward pods/proxy"),
      allow("create", "pods/eviction"),
      allow(
        write,
        `configmaps persistentvolumeclaims replicationcontrollers
       replicationcontrollers/scale secrets serviceaccounts services services/proxy`,
      ),
      allow("create", "serviceaccounts/token"),
      allow(write, "events", { of: "core events.k8s.io" }),
      allow(
        write,
        `daemonsets deployments deployments/rollback deployments/scale replicasets
       replicasets/scale statefulsets statefulsets/scale`,
        { of: "apps" },
      ),
      allow(write, "horizontalpodautoscalers", { of: "autoscaling" }),
      allow(write, "cronjobs jobs", { of: "batch" }),
      allow(
        write,
        `daemonsets deployments deployments/rollback deployments/scale ingresses
       networkpolicies replicasets replicasets/scale replicationcontrollers/scale`,
        { of: "extensions" },
      ),
      allow(write, "poddisruptionbudgets", { of: "policy" }),
      allow(write, "ingresses networkpolicies", { of: "networking.k8s.io" }),
      allow(readWrite, "leases", { of: "coordination.k8s.io" }),
      allow(write, "resourceclaims resourceclaimtemplates", { of: "resource.k8s.io" }),
    ],
    { partOf: "edit" },
  ),
  clusterRole(
    "system:aggregate-to-view",
    [
      allow(
        read,
        `configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods
       replicationcontrollers replicationcontrollers/scale serviceaccounts services
       services/status`,
      ),
      allow(
        read,
        `bindings limitranges namespaces/status pods/log pods/status
       replicationcontrollers/status resourcequotas resourcequotas/status`,
      ),
      allow(read, "namespaces"),
      allow(read, "events", { of: "core events.k8s.io" }),
      allow(read, "endpointslices", { of: "discovery.k8s.io" }),
      allow(
        read,
        `controllerrevisions daemonsets daemonsets/status deployments deployments/scale
       deployments/status replicasets replicasets/scale replicasets/status
       statefulsets statefulsets/scale statefulsets/status`,
        { of: "apps" },
      ),
      allow(read, "horizontalpodautoscalers horizontalpodautoscalers/status", {
        of: "autoscaling",
      }),
      allow(read, "cronjobs cronjobs/status jobs jobs/status", { of: "batch" }),
      allow(
        read,
        `daemonsets daemonsets/status deployments deployments/scale deployments/status
       ingresses ingresses/status networkpolicies replicasets replicasets/scale
       replicasets/status replicationcontrollers/scale`,
        { of: "extensions" },
      ),
      allow(read, "poddisruptionbudgets poddisruptionbudgets/status", { of: "policy" }),
      allow(read, "ingresses ingresses/status networkpolicies", { of: "networking.k8s.io" }),
      allow(read, "resourceclaims resourceclaims/status resourceclaimtemplates", {
        of: "resource.k8s.io",
      }),
    ],
    { partOf: "view" },
  ),
  clusterRole("system:auth-delegator", [
    allow("create", "tokenreviews", { of: "authentication.k8s.io" }),
    allow("create", "subjectaccessreviews", { of: "authorization.k8s.io" }),
  ]),
  clusterRole("system:basic-user", [
    allow("create", "selfsubjectaccessreviews selfsubjectrulesreviews", {
      of: "authorization.k8s.io",
    }),
    allow("create", "selfsubjectreviews", { of: "authentication.k8s.io" }),
  ]),
  clusterRole("system:certificates.k8s.io:certificatesigningrequests:nodeclient", [
    allow("create", "certificatesigningrequests/nodeclient", { of: "certificates.k8s.io" }),
  ]),
  clusterRole("system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", [
    allow("create", "certificatesigningrequests/selfnodeclient", { of: "certificates.k8s.io" }),
  ]),
  clusterRole("system:certificates.k8s.io:kube-apiserver-client-approver", [
    allow("approve", "signers", {
      of: "certificates.k8s.io",
      named: "kubernetes.io/kube-apiserver-client",
    }),
  ]),
  clusterRole("system:certificates.k8s.io:kube-apiserver-client-kubelet-approver", [
    allow("approve", "signers", {
      of: "certificates.k8s.io",
      named: "kubernetes.io/kube-apiserver-client-kubelet",
    }),
  ]),
  clusterRole("system:certificates.k8s.io:kubelet-serving-approver", [
    allow("approve", "signers", {
      of: "certificates.k8s.io",
      named: "kubernetes.io/kubelet-serving",
    }),
  ]),
  clusterRole("system:certificates.k8s.io:legacy-unknown-approver", [
    allow("approve", "signers", {
      of: "certificates.k8s.io",
      named: "kubernetes.io/legacy-unknown",
    }),
  ]),
  clusterRole("system:discovery", [
    allowPaths(
      "get",
      `/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version
       /version/`,
    ),
  ]),
  clusterRole("system:monitoring", [
    allowPaths(
      "get",
      `/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz
       /readyz/* /statusz`,
    ),
    allow("get", "nodes/metrics"),
  ]),
  clusterRole("system:public-info-viewer", [
    allowPaths("get", "/healthz /livez /readyz /version /version/"),
  ]),
  clusterRole("system:service-account-issuer-discovery", [
    allowPaths(
      "get",
      `/.well-known/openid-configuration /.well-known/openid-configuration/
       /openid/v1/jwks /openid/v1/jwks/`,
    ),
  ]),
  clusterRole("view", null, { partOf: "edit", madeOf: "view" }),
];
