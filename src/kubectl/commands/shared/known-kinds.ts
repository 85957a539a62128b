import type { DiscoveredKind } from "../../../client/discovery/rest-mapper.ts";
import { dynamicKind } from "../../../client/resource-kind.ts";

const core = (kind: string, plural: string, scope: "Namespaced" | "Cluster"): DiscoveredKind =>
  dynamicKind({ group: "", version: "v1", kind, plural, scope });
const apps = (kind: string, plural: string): DiscoveredKind =>
  dynamicKind({ group: "apps", version: "v1", kind, plural, scope: "Namespaced" });

/** Kinds that commands send requests for without discovery, as the original's typed clients do. */
export const knownKinds = {
  pod: core("Pod", "pods", "Namespaced"),
  node: core("Node", "nodes", "Cluster"),
  namespace: core("Namespace", "namespaces", "Cluster"),
  configMap: core("ConfigMap", "configmaps", "Namespaced"),
  secret: core("Secret", "secrets", "Namespaced"),
  event: core("Event", "events", "Namespaced"),
  service: core("Service", "services", "Namespaced"),
  deployment: apps("Deployment", "deployments"),
  daemonSet: apps("DaemonSet", "daemonsets"),
  statefulSet: apps("StatefulSet", "statefulsets"),
  replicaSet: apps("ReplicaSet", "replicasets"),
  controllerRevision: apps("ControllerRevision", "controllerrevisions"),
} as const;
