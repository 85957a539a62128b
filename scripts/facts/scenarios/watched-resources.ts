/** The resources that scenarios observe, with the paths of their lists. */
export const watchedResources: Readonly<Record<string, string>> = {
  ...inGroup("/api/v1", [
    "pods",
    "services",
    "endpoints",
    "configmaps",
    "secrets",
    "serviceaccounts",
    "resourcequotas",
    "replicationcontrollers",
    "persistentvolumeclaims",
    "persistentvolumes",
    "nodes",
    "namespaces",
  ]),
  ...inGroup("/apis/apps/v1", [
    "replicasets",
    "deployments",
    "statefulsets",
    "daemonsets",
    "controllerrevisions",
  ]),
  ...inGroup("/apis/batch/v1", ["jobs", "cronjobs"]),
  ...inGroup("/apis/discovery.k8s.io/v1", ["endpointslices"]),
  ...inGroup("/apis/policy/v1", ["poddisruptionbudgets"]),
  ...inGroup("/apis/autoscaling/v2", ["horizontalpodautoscalers"]),
  ...inGroup("/apis/rbac.authorization.k8s.io/v1", ["clusterroles"]),
  ...inGroup("/apis/certificates.k8s.io/v1", ["certificatesigningrequests"]),
  ...inGroup("/apis/resource.k8s.io/v1", ["resourceclaims"]),
};

const clusterWide = new Set([
  "nodes",
  "namespaces",
  "persistentvolumes",
  "clusterroles",
  "certificatesigningrequests",
]);

export const isClusterWide = (resource: string): boolean => clusterWide.has(resource);

/** The path of a resource's list in a namespace, or of the whole list where it has none. */
export function listPath(resource: string, namespace: string): string {
  const path = watchedResources[resource];
  if (path === undefined) throw new Error(`${resource} is not watched`);
  return isClusterWide(resource) ? path : path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
}

function inGroup(path: string, resources: readonly string[]): Record<string, string> {
  return Object.fromEntries(resources.map((resource) => [resource, `${path}/${resource}`]));
}
