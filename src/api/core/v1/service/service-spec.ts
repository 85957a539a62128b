import {
  bool,
  int32,
  intOrString,
  list,
  listOf,
  message,
  named,
  string,
  stringMap,
  strings,
  value,
} from "../../../../schema/language/field.ts";
import { type Draft, type Infer, struct } from "../../../../schema/language/struct.ts";
import { namedString } from "../../../../schema/language/type.ts";
import { Condition } from "../../../meta/v1/condition.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { LoadBalancerStatus } from "./load-balancer-status.ts";

/** The clusterIP of a service that has none. */
export const headless = "None";

export const ServicePort = struct("io.k8s.api.core.v1.ServicePort", {
  name: string(1).doc("Name of the port; needed where there are several."),
  protocol: named(2, "v1.Protocol").known("TCP", "UDP", "SCTP").default("TCP").doc("Its protocol."),
  appProtocol: string(6).pointer().doc("What is spoken over it, as a hint for implementations."),
  port: int32(3).always().expected().doc("The port at which the service is reached."),
  targetPort: intOrString(4).always().doc("The port of the pods: its number, or its name there."),
  nodePort: int32(5).doc("The port on every node that leads to the service."),
}).doc("One port of a service.");
export interface ServicePort extends Infer<typeof ServicePort> {}

export const ClientIPConfig = struct("io.k8s.api.core.v1.ClientIPConfig", {
  timeoutSeconds: int32(1).pointer().doc("Seconds for which a client stays with a pod."),
}).doc("How clients stay with a pod by their address.");
export interface ClientIPConfig extends Infer<typeof ClientIPConfig> {}

export const SessionAffinityConfig = struct("io.k8s.api.core.v1.SessionAffinityConfig", {
  clientIP: message(1, ClientIPConfig).doc("For affinity by the client's address."),
}).doc("How clients stay with a pod.");
export interface SessionAffinityConfig extends Infer<typeof SessionAffinityConfig> {}

export const ServiceSpec = struct("io.k8s.api.core.v1.ServiceSpec", {
  ports: list(1, ServicePort).keyedBy("port", "protocol").doc("The ports that the service has."),
  selector: stringMap(2).atomic().doc("Labels of the pods that traffic goes to."),
  clusterIP: string(3).doc("Its address within the cluster; None for a headless service."),
  clusterIPs: strings(18).atomic().doc("Its addresses, at most one of each family."),
  type: named(4, "v1.ServiceType")
    .known("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
    .doc("How the service is exposed."),
  externalIPs: strings(5).atomic().doc("Further addresses at which nodes take traffic for it."),
  sessionAffinity: named(7, "v1.ServiceAffinity")
    .known("ClientIP", "None")
    .doc("Whether a client stays with one pod."),
  loadBalancerIP: string(8).doc("The address wanted of a load balancer; deprecated."),
  loadBalancerSourceRanges: strings(9)
    .atomic()
    .doc("Networks that a load balancer lets in; all without any."),
  externalName: string(10).doc("The DNS name that a service of type ExternalName stands for."),
  externalTrafficPolicy: named(11, "v1.ServiceExternalTrafficPolicy")
    .known("Cluster", "Local")
    .doc("Whether traffic from outside goes to pods anywhere, or on the node it came to."),
  healthCheckNodePort: int32(12).doc("The port at which nodes say if they have pods of it."),
  publishNotReadyAddresses: bool(13).doc("Whether pods count before they are ready."),
  sessionAffinityConfig: message(14, SessionAffinityConfig).doc("How clients stay with a pod."),
  ipFamilies: listOf(19, namedString("v1.IPFamily"))
    .known("IPv4", "IPv6", "")
    .atomic()
    .doc("The families of its addresses, in their order."),
  ipFamilyPolicy: named(17, "v1.IPFamilyPolicy")
    .pointer()
    .known("SingleStack", "PreferDualStack", "RequireDualStack")
    .doc("Whether it has addresses of one family, or of both."),
  allocateLoadBalancerNodePorts: bool(20)
    .pointer()
    .doc("Whether a load balancer gets node ports too."),
  loadBalancerClass: string(21).pointer().doc("Which implementation of load balancers serves it."),
  internalTrafficPolicy: named(22, "v1.ServiceInternalTrafficPolicy")
    .pointer()
    .known("Cluster", "Local")
    .doc("Whether traffic from pods goes to pods anywhere, or on the same node."),
  trafficDistribution: string(23).pointer().doc("Which pods are preferred, by how near they are."),
}).doc("What a service is meant to be.");
export interface ServiceSpec extends Infer<typeof ServiceSpec> {}

export const ServiceStatus = struct("io.k8s.api.core.v1.ServiceStatus", {
  loadBalancer: value(1, LoadBalancerStatus).doc("The state of its load balancer, if it has one."),
  conditions: list(2, Condition).keyedBy("type").doc("Aspects of its state."),
}).doc("What is known of a service.");
export interface ServiceStatus extends Infer<typeof ServiceStatus> {}

/** A service, for the functions that its kind is made of. */
export interface ServiceBody {
  readonly metadata: ObjectMeta;
  readonly spec: ServiceSpec;
  readonly status: ServiceStatus;
}
export type ServiceDraft = Draft<ServiceBody>;
type WithSpec = Pick<ServiceBody, "spec">;

/** Whether the service has no address of its own. */
export const isHeadless = ({ spec: { clusterIPs = [] } }: WithSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === headless;

/** Whether traffic from outside the cluster can reach it. */
export const isExternallyAccessible = ({ spec }: WithSpec): boolean =>
  spec.type === "LoadBalancer" ||
  spec.type === "NodePort" ||
  (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);

/** Whether nodes answer health checks for it, at a port of their own. */
export const needsHealthCheck = ({ spec }: WithSpec): boolean =>
  spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";

/** Whether its type has addresses within the cluster. */
export const needsClusterIp = ({ spec }: WithSpec): boolean => spec.type !== "ExternalName";
