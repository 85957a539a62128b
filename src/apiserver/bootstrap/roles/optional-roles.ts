import type { PolicyRule } from "../../../api/rbac/v1/policy-rule.ts";
import type { DefaultPolicy } from "./default-policy.ts";
import {
  allow,
  clusterRole,
  clusterRoleBinding,
  controllerRole,
  read,
  recordEvents,
  serviceAccount,
} from "./notation.ts";

/** A resource that is served only where a version of it is enabled. */
interface OptionalResource {
  readonly group: string;
  readonly plural: string;
}

interface OptionalController extends OptionalResource {
  readonly account: string;
  readonly rules: readonly PolicyRule[];
}

const certificates = { of: "certificates.k8s.io" };
const versions = { of: "internal.apiserver.k8s.io" };
const migrations = { of: "storagemigration.k8s.io" };
const definitions = { of: "apiextensions.k8s.io" };
const scheduling = { of: "scheduling.k8s.io" };
const devices = { of: "resource.k8s.io" };

/** The rules of the controllers that work on such resources. */
const optionalControllers: readonly OptionalController[] = [
  {
    group: certificates.of,
    plural: "clustertrustbundles",
    account: "kube-apiserver-serving-clustertrustbundle-publisher",
    rules: [
      allow("attest", "signers", {
        ...certificates,
        named: "kubernetes.io/kube-apiserver-serving",
      }),
      allow("create delete list update watch", "clustertrustbundles", certificates),
      recordEvents,
    ],
  },
  {
    group: certificates.of,
    plural: "podcertificaterequests",
    account: "podcertificaterequestcleaner",
    rules: [allow("delete get list watch", "podcertificaterequests", certificates)],
  },
  {
    group: versions.of,
    plural: "storageversions",
    account: "storage-version-garbage-collector",
    rules: [
      allow(read, "leases", { of: "coordination.k8s.io" }),
      allow("delete get list patch update watch", "storageversions", versions),
      allow("get patch update", "storageversions/status", versions),
    ],
  },
  {
    group: migrations.of,
    plural: "storageversionmigrations",
    account: "storage-version-migrator-controller",
    rules: [
      // Applying an object that was deleted counts as a create, which its uid then makes a conflict.
      allow("list create patch", "*", { of: "*" }),
      allow("get", "customresourcedefinitions", definitions),
      allow("patch", "customresourcedefinitions/status", definitions),
      allow("update", "storageversionmigrations/status", migrations),
    ],
  },
  {
    group: scheduling.of,
    plural: "podgroups",
    account: "podgroup-protection-controller",
    rules: [allow(`${read} update`, "podgroups", scheduling), allow(read, "pods")],
  },
  {
    group: devices.of,
    plural: "resourcepoolstatusrequests",
    account: "resourcepoolstatusrequest-controller",
    rules: [
      allow(`${read} delete`, "resourcepoolstatusrequests", devices),
      allow("update patch", "resourcepoolstatusrequests/status", devices),
      allow(read, "resourceslices", devices),
      allow(read, "resourceclaims", devices),
      recordEvents,
    ],
  },
];

/** What nodes may do while features are on that are off by default. */
const nodeFeatures: Readonly<Record<string, PolicyRule>> = {
  ClusterTrustBundle: allow(read, "clustertrustbundles", certificates),
  PodCertificateRequest: allow(`${read} create`, "podcertificaterequests", certificates),
};

/** The rules that nodes have because of features. */
export const nodeFeatureRules = (features: ReadonlySet<string> = new Set()): PolicyRule[] =>
  Object.entries(nodeFeatures).flatMap(([feature, rule]) => (features.has(feature) ? [rule] : []));

/** The roles and bindings of the controllers of optional resources, where these are served. */
export function optionalRoles(
  isServed: (resource: OptionalResource) => boolean,
): Pick<DefaultPolicy, "clusterRoles" | "clusterRoleBindings"> {
  const served = optionalControllers.filter(isServed);
  return {
    clusterRoles: served.map(({ account, rules }) => clusterRole(controllerRole(account), rules)),
    clusterRoleBindings: served.map(({ account }) =>
      clusterRoleBinding(controllerRole(account), [serviceAccount(account)]),
    ),
  };
}
