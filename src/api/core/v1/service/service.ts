import { value } from "../../../../schema/language/field.ts";
import { nameIsDnsLabel } from "../../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { validateLoadBalancerStatus } from "./load-balancer-status.ts";
import { dropTypeDependentFields } from "./service-allocation.ts";
import { serviceColumns } from "./service-columns.ts";
import {
  isExternallyAccessible,
  type ServiceDraft,
  ServiceSpec,
  ServiceStatus,
} from "./service-spec.ts";
import { validateServiceUpdate } from "./service-update.ts";
import { validateService } from "./service-validation.ts";
import { serviceStatusWarnings, serviceWarnings } from "./service-warnings.ts";

const defaultAffinitySeconds = 10800;

export const Service = kind({
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  shortNames: ["svc"],
  categories: ["all"],
  scope: "Namespaced",
  storagePrefix: "services/specs",
  doc: "A name and an address for pods that do the same work.",
  name: nameIsDnsLabel,
  fields: {
    spec: value(2, ServiceSpec).doc("What the service is meant to be."),
    status: value(3, ServiceStatus).doc("What is known of it."),
  },
  subresources: ["proxy", "status"],
  defaults(service) {
    affinityDefaults(service);
    service.spec.type ||= "ClusterIP";
    for (const port of service.spec.ports ?? []) port.targetPort ||= port.port;
    trafficDefaults(service);
  },
  // All of the rules stand in functions, which know the old service too.
  rules: [(service, at) => validateService(service, undefined, at)],
  updateRules: (service, old, { at }) => validateServiceUpdate(service, old, at),
  statusRules: ({ spec, status }, old, { at }) =>
    validateLoadBalancerStatus(status.loadBalancer, at.child("status").child("loadBalancer"), {
      serviceType: spec.type ?? "",
      old: old.status.loadBalancer,
    }),
  strategy: {
    initialStatus: { loadBalancer: {} },
    prepare(service, old) {
      if (!old) return;
      service.status = { ...service.status };
      dropTypeDependentFields(service, old);
    },
    createOnUpdate: true,
    deleteReturnsObject: true,
    // Upstream stores the policy of such a service, but drops it when the service is read.
    canonicalise(service) {
      const { internalTrafficPolicy, ...spec } = service.spec;
      if (spec.type === "ExternalName" && internalTrafficPolicy) service.spec = spec;
    },
    warnings: (service) => serviceWarnings(service),
    statusWarnings: (service) => serviceStatusWarnings(service),
  },
  columns: serviceColumns,
  selectableFields: {
    "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "",
    "spec.type": ({ spec }) => spec.type ?? "",
  },
});
export interface Service extends ObjectOf<typeof Service> {}

function affinityDefaults({ spec }: ServiceDraft): void {
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (
    spec.sessionAffinity === "ClientIP" &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  )
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
}

function trafficDefaults(service: ServiceDraft): void {
  const { spec, status } = service;
  const type = spec.type ?? "";
  if (isExternallyAccessible(service)) spec.externalTrafficPolicy ||= "Cluster";
  if (["NodePort", "LoadBalancer", "ClusterIP"].includes(type))
    spec.internalTrafficPolicy ??= "Cluster";
  if (type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const entry of status.loadBalancer.ingress ?? []) if (entry.ip) entry.ipMode ??= "VIP";
}
