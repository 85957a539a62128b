import { quantityOf } from "../../../../schema/values/quantity.ts";
import type { Service } from "../service/service.ts";
import { one, zero } from "./amounts.ts";
import type { QuotaEvaluator } from "./evaluator.ts";

const names = ["count/services", "services", "services.nodeports", "services.loadbalancers"];

/** What services use: their number, and what is set up for them. */
export const serviceQuota: QuotaEvaluator<Service> = {
  group: "",
  plural: "services",
  tracks: (name) => names.includes(name),
  // The type of a service can change.
  charges: ({ subresource }) => subresource === "",
  usage: (service) =>
    new Map([
      ["count/services", one],
      ["services", one],
      ["services.nodeports", quantityOf(nodePorts(service))],
      ["services.loadbalancers", service.spec.type === "LoadBalancer" ? one : zero],
    ]),
};

/** The ports that it has, or will have: they are counted before they are allocated. */
function nodePorts({ spec }: Service): number {
  const { type, ports = [], allocateLoadBalancerNodePorts = true } = spec;
  if (type !== "NodePort" && type !== "LoadBalancer") return 0;
  if (type === "LoadBalancer" && !allocateLoadBalancerNodePorts)
    return ports.filter(({ nodePort }) => nodePort).length;
  return ports.length;
}
