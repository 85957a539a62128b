/** The priority of a version of a group: higher ones come first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/** The priorities of declared groups; a version that is not listed is not registered. */
const declared: Readonly<Record<string, Readonly<Record<string, Priority>>>> = {
  "": versions(18000, { v1: 1 }),
  apps: versions(17800, { v1: 15 }),
  "events.k8s.io": versions(17750, { v1: 15, v1beta1: 5 }),
  "authentication.k8s.io": versions(17700, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  "authorization.k8s.io": versions(17600, { v1: 15 }),
  autoscaling: versions(17500, { v2: 30, v1: 15, v2beta1: 9, v2beta2: 1 }),
  batch: versions(17400, { v1: 15, v1beta1: 9, v2alpha1: 9 }),
  "certificates.k8s.io": versions(17300, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  "networking.k8s.io": versions(17200, { v1: 15, v1beta1: 9 }),
  policy: versions(17100, { v1: 15, v1beta1: 9 }),
  "rbac.authorization.k8s.io": versions(17000, { v1: 15 }),
  "storage.k8s.io": versions(16800, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  "admissionregistration.k8s.io": versions(16700, { v1: 15, v1beta1: 12, v1alpha1: 9 }),
  "apiextensions.k8s.io": versions(16700, { v1: 15 }),
  "scheduling.k8s.io": versions(16600, { v1: 15, v1alpha2: 2 }),
  "coordination.k8s.io": versions(16500, { v1: 15, v1beta1: 13, v1alpha2: 12 }),
  "node.k8s.io": versions(16300, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  "discovery.k8s.io": versions(16200, { v1: 15, v1beta1: 12 }),
  "resource.k8s.io": versions(16200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 }),
  "flowcontrol.apiserver.k8s.io": versions(16100, {
    v1: 21,
    v1beta3: 18,
    v1beta2: 15,
    v1beta1: 12,
    v1alpha1: 9,
  }),
  "internal.apiserver.k8s.io": versions(16000, { v1alpha1: 9 }),
  "storagemigration.k8s.io": versions(15800, { v1beta1: 9 }),
  // As the manifest of metrics-server says.
  "metrics.k8s.io": versions(100, { v1beta1: 100 }),
};

/** The priority of custom groups, after all declared ones. */
export const customPriority: Priority = { group: 1000, version: 100 };

/** The priority of a version that is declared; none of the group in which versions are registered. */
export const priorityOf = (group: string, version: string): Priority | undefined =>
  Object.hasOwn(declared, group) ? declared[group]?.[version] : undefined;

/** The priority of a group, declared or not; that of registrations themselves comes before all. */
export function groupPriority(group: string): number {
  if (group === "apiregistration.k8s.io") return Number.POSITIVE_INFINITY;
  const [first] = Object.hasOwn(declared, group) ? Object.values(declared[group] ?? {}) : [];
  return (first ?? customPriority).group;
}

function versions(
  group: number,
  named: Readonly<Record<string, number>>,
): Readonly<Record<string, Priority>> {
  return Object.fromEntries(
    Object.entries(named).map(([version, priority]) => [version, { group, version: priority }]),
  );
}
