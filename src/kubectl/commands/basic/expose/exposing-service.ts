import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { parseLabelSpec } from "../../shared/label-spec.ts";
import { portNumber } from "../../shared/port-number.ts";
import type { ServicePlan } from "./complete-plan.ts";

/** The service that a plan describes. */
export function serviceOf(plan: ServicePlan): DynamicObject {
  if (plan.selector === "") throw new Error("selector must be specified");
  const selector = parseLabelSpec(plan.selector);
  const labels = plan.labels === "" ? undefined : parseLabelSpec(plan.labels);
  const name = plan.name || plan.defaultName;
  if (name === "") throw new Error("name must be specified");
  const ports = servicePorts(plan);
  const { type, externalIp, loadBalancerIp, sessionAffinity, clusterIp } = plan;
  if (!["", "None", "ClientIP"].includes(sessionAffinity))
    throw new Error(`unknown session affinity: ${sessionAffinity}`);
  return {
    kind: "Service",
    apiVersion: "v1",
    metadata: { name, ...(labels && { labels }) },
    spec: {
      ...(ports.length > 0 && { ports }),
      selector,
      ...(clusterIp !== "" && { clusterIP: clusterIp }),
      ...(type !== "" && { type }),
      ...(externalIp !== "" && { externalIPs: [externalIp] }),
      ...(type === "LoadBalancer" && loadBalancerIp !== "" && { loadBalancerIP: loadBalancerIp }),
      ...(sessionAffinity !== "" && { sessionAffinity }),
    },
  };
}

interface ServicePort {
  readonly name?: string;
  readonly protocol: string;
  readonly port: number;
  readonly targetPort: number | string;
}

function servicePorts(plan: ServicePlan): readonly ServicePort[] {
  const text = plan.ports || plan.port;
  if (text === "") return [];
  const texts = text.split(",");
  const ports = texts.flatMap((text, at) => portsOf(plan, text, texts.length > 1 ? at + 1 : 0));
  return plan.targetPort === ""
    ? ports
    : ports.map((port) => ({ ...port, targetPort: intOrString(plan.targetPort) }));
}

/** The ports of one number: one for each protocol. `at` is its place among several, which then have names. */
function portsOf(
  { protocol, protocols }: ServicePlan,
  text: string,
  at: number,
): readonly ServicePort[] {
  const port = portNumber(text);
  const known = protocol === "" ? (protocols.get(text) ?? []) : [];
  if (known.length > 1) {
    // The place counts from one also where there is only one number.
    const place = Math.max(1, at);
    return known.map((one) => ({
      name: `port-${place}-${one.toLowerCase()}`,
      port,
      protocol: one,
      targetPort: port,
    }));
  }
  const [only = protocol || "TCP"] = known;
  return [{ ...(at > 0 && { name: `port-${at}` }), port, protocol: only, targetPort: port }];
}

/** A number if the text is one, which is cut to 32 bits as Go cuts it. */
const intOrString = (text: string): number | string => {
  try {
    return portNumber(text);
  } catch {
    return text;
  }
};
