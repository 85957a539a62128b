import { escalation } from "../authorization/escalation.ts";
import type { Registry } from "../registry.ts";
import type { Resources } from "../resources.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { deviceAdminAccess } from "./device-admin-access.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { priority } from "./priority.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

/** What plugins read of the cluster; the registry exists only after them. */
export type Cluster = () => Registry;

/** The plugins that are on by default, in upstream's order. */
export const defaultPlugins = (cluster: Cluster, resources: Resources): AdmissionPlugin[] => [
  namespaceLifecycle(cluster, resources),
  limitRanger(cluster, resources),
  serviceAccount(cluster, resources),
  taintNodesByCondition,
  podSecurity(cluster, resources),
  priority(cluster, resources),
  defaultTolerationSeconds,
  defaultStorageClass(cluster, resources),
  storageObjectInUseProtection,
  persistentVolumeClaimResize(cluster, resources),
  runtimeClass(cluster, resources),
  defaultIngressClass(cluster, resources),
  podTopologyLabels(cluster, resources),
  // Upstream has this one among the rules of claims.
  deviceAdminAccess(cluster, resources),
  // And this one in their storage: it comes after all that changes an object.
  escalation(cluster),
];
