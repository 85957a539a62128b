import { stringArrayFlag, stringFlag, type Values } from "../../../../cli/flag.ts";
import { parseIntOrString } from "../../../../schema/values/int-or-string.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

const ingressFlags = {
  class: stringFlag({ usage: "The ingress class" }),
  rule: stringArrayFlag({
    usage:
      "A rule as host/path=service:port[,tls=secretname]. A path that ends in '*' is a prefix; tls may be left out.",
  }),
  "default-backend": stringFlag({
    usage: "The service of requests that no rule matches, as name:port",
  }),
  annotation: stringArrayFlag({ usage: "An annotation of the ingress, as annotation=value" }),
};

export const createIngressCommand = createObjectCommand({
  command: {
    name: "ingress",
    aliases: ["ing"],
    usage: "NAME --rule=host/path=service:port[,tls[=secret]] ",
    short: "Create an ingress with the specified name",
    long: "Create an ingress with the given name.",
    examples: `# Send requests for one path to a service, with a certificate of the secret my-cert
kubectl create ingress simple --rule="foo.com/bar=svc1:8080,tls=my-cert"

# Send all requests to a service, with an ingress class
kubectl create ingress catch-all --class=otheringress --rule="/path=svc:port"

# Add annotations
kubectl create ingress annotated --class=default --rule="foo.com/bar=svc:port" --annotation ingress.annotation1=foo --annotation ingress.annotation2=bla

# Send requests that match no rule to a default backend
kubectl create ingress ingdefault --class=default --default-backend=defaultsvc:http --rule="foo.com/*=svc:8080,tls=secret1"`,
  },
  flags: ingressFlags,
  kind: {
    group: "networking.k8s.io",
    version: "v1",
    kind: "Ingress",
    plural: "ingresses",
    scope: "Namespaced",
  },
  failure: () => "failed to create ingress: ",
  generate({ name, namespace, flags }) {
    checkIngress(flags);
    const { rule, class: ingressClassName, "default-backend": backend } = flags;
    const tls = tlsEntries(rule);
    const rules = ingressRules(rule);
    const spec = {
      ...(ingressClassName !== "" && { ingressClassName }),
      ...(backend !== "" && { defaultBackend: serviceBackend(backend) }),
      ...(tls.length > 0 && { tls }),
      ...(rules.length > 0 && { rules }),
    };
    const annotations = Object.fromEntries(flags.annotation.map(splitPair));
    return newObject(
      "networking.k8s.io/v1 Ingress",
      { name, namespace, annotations },
      { spec, status: { loadBalancer: {} } },
    );
  },
});

const rulePattern = /^[\w*\-.]*\/.*=[\w-]+:[\w-]+(,tls=?([\w-]+)?)?/;

function checkIngress(flags: Values<typeof ingressFlags>): void {
  const { rule: rules, annotation: annotations, "default-backend": backend } = flags;
  if (backend === "" && rules.length === 0)
    throw new Error(
      "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
    );
  for (const rule of rules)
    if (!rulePattern.test(rule))
      throw new Error(
        `rule ${rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`,
      );
  for (const annotation of annotations)
    if (!annotation.includes("="))
      throw new Error(`annotation ${annotation} is invalid and should be in format key=[value]`);
  if (backend !== "" && backend.split(":").length !== 2)
    throw new Error("default-backend should be in format servicename:serviceport");
}

function splitPair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

interface TlsEntry {
  hosts?: string[];
  secretName?: string;
}

/** Hosts by the secret with their certificate, in the order of rules; each host counts once. */
function tlsEntries(rules: readonly string[]): readonly TlsEntry[] {
  const entries: TlsEntry[] = [];
  const seen = new Set<string>();
  for (const rule of rules) {
    const parts = rule.split(",");
    if (parts.length !== 2) continue;
    const host = rule.slice(0, rule.indexOf("/"));
    if (seen.has(host)) continue;
    seen.add(host);
    const secret = parts[1]?.split("=")[1] ?? "";
    const known = entries.find(({ secretName = "" }) => secretName === secret);
    if (known) known.hosts = [...(known.hosts ?? []), host];
    else if (host !== "" || secret !== "")
      entries.push({
        ...(host !== "" && { hosts: [host] }),
        ...(secret !== "" && { secretName: secret }),
      });
  }
  return entries;
}

/** The paths of each host, in the order of rules. */
function ingressRules(rules: readonly string[]): readonly object[] {
  const paths = new Map<string, object[]>();
  for (const rule of rules) {
    const [address = ""] = rule.split(",");
    const at = address.indexOf("/");
    const host = address.slice(0, at);
    paths.set(host, [...(paths.get(host) ?? []), ingressPath(address.slice(at + 1))]);
  }
  return [...paths].map(([host, found]) => ({
    ...(host !== "" && { host }),
    http: { paths: found },
  }));
}

function ingressPath(text: string): object {
  const [end = "", service = ""] = text.split("=");
  const isPrefix = `/${end}`.endsWith("*");
  return {
    path: isPrefix ? `/${end}`.slice(0, -1) : `/${end}`,
    pathType: isPrefix ? "Prefix" : "Exact",
    backend: serviceBackend(service),
  };
}

function serviceBackend(text: string): object {
  const [name = "", portText = ""] = text.split(":");
  const port = parseIntOrString(portText);
  const isNone = port === 0 || port === "";
  return {
    service: {
      name,
      port: isNone ? {} : typeof port === "number" ? { number: port } : { name: port },
    },
  };
}
