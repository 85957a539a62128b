import { intFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import {
  isDns1123Subdomain,
  isValidPortName,
  isValidPortNum,
} from "../../../../schema/values/names.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { type NewObject, newObject } from "./new-object.ts";

const tcpFlags = {
  tcp: stringsFlag({ usage: "A port, and the port of the pods behind it: '<port>:<targetPort>'." }),
};

const definition = (type: string) => ({
  kind: {
    group: "",
    version: "v1",
    kind: "Service",
    plural: "services",
    scope: "Namespaced",
  } as const,
  failure: () => `failed to create ${type} service: `,
  // Upstream has the flag --save-config here, and does not read it.
  savesConfig: false,
});

export const createClusterIpCommand = createObjectCommand({
  command: {
    name: "clusterip",
    usage: "NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]",
    short: "Create a ClusterIP service",
    long: "Create a service that is reached at an address inside of the cluster.",
    examples: `# Create the service my-cs
kubectl create service clusterip my-cs --tcp=5678:8080

# Create it without an address of its own
kubectl create service clusterip my-cs --clusterip="None"`,
  },
  flags: {
    ...tcpFlags,
    clusterip: stringFlag({
      usage: "The address of the service; 'None' for a headless service without one.",
    }),
  },
  ...definition("ClusterIP"),
  generate: (plan) => service(plan, { type: "ClusterIP", ...plan.flags }),
});

export const createNodePortCommand = createObjectCommand({
  command: {
    name: "nodeport",
    usage: "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    short: "Create a NodePort service",
    long: "Create a service that is reached at a port of each node.",
    examples: "# Create the service my-ns\nkubectl create service nodeport my-ns --tcp=5678:8080",
  },
  flags: {
    "node-port": intFlag({ usage: "The port of the service on each node." }),
    ...tcpFlags,
  },
  ...definition("NodePort"),
  generate: (plan) => service(plan, { type: "NodePort", ...plan.flags }),
});

export const createLoadBalancerCommand = createObjectCommand({
  command: {
    name: "loadbalancer",
    usage: "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    short: "Create a LoadBalancer service",
    long: "Create a service that is reached through a load balancer outside of the cluster.",
    examples:
      "# Create the service my-lbs\nkubectl create service loadbalancer my-lbs --tcp=5678:8080",
  },
  flags: tcpFlags,
  ...definition("LoadBalancer"),
  generate: (plan) => service(plan, { type: "LoadBalancer", ...plan.flags }),
});

export const createExternalNameCommand = createObjectCommand({
  command: {
    name: "externalname",
    usage: "NAME --external-name external.name [--dry-run=server|client|none]",
    short: "Create an ExternalName service",
    long: "Create a service that stands for a DNS name: a service outside of the cluster, for example.",
    examples:
      "# Create the service my-ns\nkubectl create service externalname my-ns --external-name bar.com",
    requiredFlags: ["external-name"],
  },
  flags: {
    ...tcpFlags,
    "external-name": stringFlag({ usage: "The DNS name that the service stands for" }),
  },
  ...definition("ExternalName"),
  generate: (plan) => service(plan, { type: "ExternalName", ...plan.flags }),
});

interface ServiceFlags {
  readonly type: string;
  readonly tcp: readonly string[];
  readonly clusterip?: string;
  readonly "node-port"?: number;
  readonly "external-name"?: string;
}

function service(
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
  flags: ServiceFlags,
): NewObject {
  const { type, tcp, clusterip = "", "external-name": externalName = "" } = flags;
  if (clusterip !== "None" && tcp.length === 0 && type !== "ExternalName")
    throw new Error("at least one tcp port specifier must be provided");
  if (type === "ExternalName" && isDns1123Subdomain(externalName).length > 0)
    throw new Error(`invalid service external name ${externalName}`);
  const ports = tcp.map((text) => servicePort(text, flags["node-port"] ?? 0));
  const spec = {
    ...(ports.length > 0 && { ports }),
    selector: { app: name },
    ...(clusterip !== "" && { clusterIP: clusterip }),
    type,
    ...(externalName !== "" && { externalName }),
  };
  const metadata = { name, namespace, labels: { app: name } };
  return newObject("v1 Service", metadata, { spec, status: { loadBalancer: {} } });
}

function servicePort(text: string, nodePort: number): object {
  const [port = "", target] = text.split(":");
  const number = portNumber(port);
  return {
    name: text.replaceAll(":", "-"),
    protocol: "TCP",
    port: number,
    targetPort: target === undefined ? number : targetPort(target),
    ...(nodePort !== 0 && { nodePort }),
  };
}

function portNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw parseFault(text, "invalid syntax");
  if (Number(text) > 65_535) throw parseFault(text, "value out of range");
  return Number(text);
}

const parseFault = (text: string, reason: string): Error =>
  new Error(`strconv.ParseUint: parsing ${quote(text)}: ${reason}`);

function targetPort(text: string): number | string {
  const isNumber = /^[-+]?\d+$/.test(text);
  const faults = isNumber ? isValidPortNum(Number(text)) : isValidPortName(text);
  if (faults.length > 0) throw new Error(faults.join(","));
  return isNumber ? Number(text) : text;
}
