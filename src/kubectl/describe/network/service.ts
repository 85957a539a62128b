import type { Service } from "../../../api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { labelsText } from "../selector-text.ts";
import { endpointAddresses } from "./endpoint-addresses.ts";

export const describeService = objectDescriber(
  describedKinds.service,
  async (d, service, context) => {
    const { metadata, spec } = service;
    const { name = "", namespace = "" } = metadata;
    const slices = await endpointSlices(context, namespace, name).catch(() => []);
    const events = await context.events(service);
    headLines(d, metadata, true);
    d.field("Selector", labelsText(spec.selector));
    d.field("Type", spec.type ?? "");
    addressLines(d, service);
    for (const port of spec.ports ?? []) portLines(d, port, slices);
    trafficLines(d, service);
    eventLines(d, events, context.clock);
  },
);

/** The endpoint slices of a service. */
export const endpointSlices = (
  context: DescribeContext,
  namespace: string,
  service: string,
): Promise<readonly EndpointSlice[]> =>
  context.list(describedKinds.endpointSlice, namespace, {
    labelSelector: `kubernetes.io/service-name=${service}`,
    inPages: false,
  });

function addressLines(d: Description, { spec, status }: Service): void {
  d.optionalField("IP Family Policy", spec.ipFamilyPolicy);
  d.field("IP Families", joined(spec.ipFamilies) || "<none>");
  d.field("IP", spec.clusterIP ?? "");
  d.field("IPs", joined(spec.clusterIPs) || "<none>");
  d.optionalField("External IPs", joined(spec.externalIPs) || undefined);
  d.optionalField("Desired LoadBalancer IP", spec.loadBalancerIP || undefined);
  d.optionalField("External Name", spec.externalName || undefined);
  const ingress = status.loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return;
  const addresses = ingress.map(({ ip, ipMode, hostname = "" }) =>
    ip ? `${ip}${ipMode === undefined ? "" : ` (${ipMode})`}` : hostname,
  );
  d.field("LoadBalancer Ingress", addresses.join(", "));
}

const joined = (texts: readonly string[] | undefined): string => (texts ?? []).join(",");

function portLines(
  d: Description,
  port: NonNullable<Service["spec"]["ports"]>[number],
  slices: readonly EndpointSlice[],
): void {
  const { protocol = "", nodePort = 0 } = port;
  const name = port.name || "<unset>";
  d.row(["Port:", name, `${port.port}/${protocol}`]);
  d.field("TargetPort", `${port.targetPort ?? 0}/${protocol}`);
  d.optionalField("AppProtocol", port.appProtocol);
  if (nodePort !== 0) d.row(["NodePort:", name, `${nodePort}/${protocol}`]);
  d.field("Endpoints", endpointAddresses(slices, port.name ?? ""));
}

function trafficLines(d: Description, { spec }: Service): void {
  d.field("Session Affinity", spec.sessionAffinity ?? "");
  d.optionalField("External Traffic Policy", spec.externalTrafficPolicy || undefined);
  d.optionalField("Internal Traffic Policy", spec.internalTrafficPolicy);
  d.optionalField("HealthCheck NodePort", spec.healthCheckNodePort || undefined);
  d.optionalField("LoadBalancer Source Ranges", joined(spec.loadBalancerSourceRanges) || undefined);
  d.optionalField("Traffic Distribution", spec.trafficDistribution);
}
