import type { Ingress } from "../../../api/networking/v1/ingress.ts";
import type {
  IngressBackend,
  IngressServiceBackend,
} from "../../../api/networking/v1/ingress-backend.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { annotationLines, labelLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { endpointAddresses } from "./endpoint-addresses.ts";
import { endpointSlices } from "./service.ts";

export const describeIngress = objectDescriber(
  describedKinds.ingress,
  async (d, ingress, context) => {
    const { metadata, spec, status } = ingress;
    const { namespace = "" } = metadata;
    const events = await context.events(ingress);
    d.field("Name", metadata.name ?? "");
    labelLines(d, "Labels", metadata.labels);
    d.field("Namespace", namespace);
    d.field("Address", addressText(status));
    d.field("Ingress Class", spec.ingressClassName ?? "<none>");
    const backend = spec.defaultBackend
      ? await backendText(context, namespace, spec.defaultBackend)
      : "<default>";
    d.field("Default backend", backend);
    tlsLines(d, ingress);
    await ruleLines(d, ingress, { context, backend });
    annotationLines(d, "Annotations", metadata.annotations);
    eventLines(d, events, context.clock);
  },
);

/** The addresses at which an ingress is reached. */
function addressText({ loadBalancer }: Ingress["status"]): string {
  const addresses = (loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => {
    const address = ip || hostname;
    return address ? [address] : [];
  });
  return [...new Set(addresses)].sort(compareUtf8).join(",");
}

function tlsLines(d: Description, { spec }: Ingress): void {
  const { tls = [] } = spec;
  if (tls.length > 0) d.line("TLS:");
  for (const { secretName, hosts = [] } of tls)
    d.line(`${secretName ? `${secretName} terminates` : "SNI routes"} ${hosts.join(",")}`, 1);
}

async function ruleLines(
  d: Description,
  { metadata, spec }: Ingress,
  { context, backend }: { readonly context: DescribeContext; readonly backend: string },
): Promise<void> {
  d.line("Rules:");
  d.columns(["Host", "Path", "Backends"], 1);
  const rules = (spec.rules ?? []).filter(({ http }) => http);
  for (const { host, http } of rules) {
    d.row([host || "*", ""], 1);
    for (const path of http?.paths ?? []) {
      const text = await backendText(context, metadata.namespace ?? "", path.backend);
      d.row(["", `${path.path ?? ""} `, text], 2);
    }
  }
  if (rules.length === 0) d.row(["*", "*", backend], 1);
}

/** Where requests go: the endpoints of a service, or an object. */
async function backendText(
  context: DescribeContext,
  namespace: string,
  { service, resource }: IngressBackend,
): Promise<string> {
  if (service) return serviceText(context, namespace, service);
  if (!resource) return "";
  const { apiGroup, kind, name } = resource;
  return `APIGroup: ${apiGroup ?? "<none>"}, Kind: ${kind}, Name: ${name}`;
}

async function serviceText(
  context: DescribeContext,
  namespace: string,
  { name = "", port = {} }: IngressServiceBackend,
): Promise<string> {
  const text = `${name}:${port.number || (port.name ?? "")}`;
  try {
    const slices = await endpointSlices(context, namespace, name);
    const { spec } = await context.get(describedKinds.service, { namespace, name });
    const chosen = (spec.ports ?? []).findLast((one) =>
      port.number && port.number === one.port ? true : Boolean(port.name) && port.name === one.name,
    );
    return `${text} (${endpointAddresses(slices, chosen?.name ?? "")})`;
  } catch (error) {
    return `${text} (<error: ${(error as Error).message}>)`;
  }
}
