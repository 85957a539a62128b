import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  cellsOf,
  created,
  read,
  statusUpdated,
  updated,
  warningsOf,
} from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { Ingress } from "./ingress.ts";

const backend = { service: { name: "s", port: { number: 80 } } };
const paths = (...list: readonly object[]) => ({
  spec: { rules: [{ host: "a.example", http: { paths: list } }] },
});
const path = (path: string, pathType = "Prefix") => paths({ path, pathType, backend });
const to = (service: object) => ({ spec: { defaultBackend: { service } } });
const at = "spec.rules[0].http.paths[0]";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

each<[rule: string, body: object, errors: readonly string[]]>([
  ["a rule without paths is left to the default", { spec: { rules: [{ host: "a" }] } }, []],
  [
    "an exact path is written without detours",
    path("/a//b/./c/../%2f/.."),
    [
      ...["//", "/./", "/../", "%2f"].map(
        (part) => `${at}.path: Invalid value: "/a//b/./c/../%2f/..": must not contain '${part}'`,
      ),
      `${at}.path: Invalid value: "/a//b/./c/../%2f/..": cannot end with '/..'`,
    ],
  ],
  ["a path of a type of its own may be anything", path("/a//b/.", "ImplementationSpecific"), []],
  [
    "but it begins with a slash",
    path("a", "ImplementationSpecific"),
    [`${at}.path: Invalid value: "a": must be an absolute path`],
  ],
  [
    "a path without a type is looked at no further",
    paths({ path: "a", backend: {} }),
    [`${at}.pathType: Required value: pathType must be specified`],
  ],
  ["a rule has paths", paths(), ["spec.rules[0].http.paths: Required value"]],
  ["the name of a service may begin with a digit", to({ name: "1", port: { name: "http" } }), []],
  [
    "a service has a name and a port",
    to({ name: "", port: {} }),
    [
      "spec.defaultBackend.service.name: Required value",
      "spec.defaultBackend: Required value: port name or number is required",
    ],
  ],
  [
    "a port has a name or a number",
    to({ name: "S", port: { name: "http", number: 80 } }),
    [
      `spec.defaultBackend.service.name: Invalid value: "S": ${label}`,
      'spec.defaultBackend: Invalid value: "": cannot set both port name & port number',
    ],
  ],
  [
    "a host is no address",
    { spec: { rules: [{ host: "10.0.0.1" }] } },
    ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  ],
  [
    "a resource has a kind that can stand in a path",
    { spec: { defaultBackend: { resource: { apiGroup: "a", kind: "a/b", name: "" } } } },
    [
      `spec.defaultBackend.resource.kind: Invalid value: "a/b": may not contain '/'`,
      "spec.defaultBackend.resource.name: Required value",
    ],
  ],
  [
    "a backend is a service or a resource",
    { spec: { defaultBackend: { ...backend, resource: { kind: "K", name: "n" } } } },
    ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
  ],
  [
    "the annotation and the field name the same class",
    {
      metadata: { annotations: { "kubernetes.io/ingress.class": "x" } },
      spec: { defaultBackend: backend, ingressClassName: "y" },
    },
    [
      'annotations.kubernetes.io/ingress.class: Invalid value: "x": must match `ingressClassName` when both are specified',
    ],
  ],
])("Ingress: %s", (_, body, errors) => {
  expect(created(Ingress, body)).toEqual(errors);
});

const wild = { spec: { rules: [{ host: "*.example", http: { paths: [] } }] } };
const secret = (secretName: string) => ({
  spec: { defaultBackend: backend, tls: [{ secretName }] },
});

each<[rule: string, old: object, body: object, count: number]>([
  ["paths under a wildcard that were wrong may stay so", wild, wild, 0],
  ["but not become so", to(backend.service), wild, 1],
  ["a secret's name that was wrong may become another", secret("A"), secret("B"), 0],
  ["but a right one must stay right", secret("a"), secret("B"), 1],
])("Ingress: %s", (_, old, body, count) => {
  expect(updated(Ingress, old, body).length).toBe(count);
});

test("Ingress: addresses that the status had stay valid", () => {
  const status = (ip: string) => ({
    ...to(backend.service),
    status: { loadBalancer: { ingress: [{ ip, hostname: "10.0.0.1" }] } },
  });
  const place = "status.loadBalancer.ingress[0]";
  const host = `${place}.hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address`;
  expect([
    statusUpdated(Ingress, status("010.0.0.1"), status("010.0.0.1")),
    statusUpdated(Ingress, status("10.0.0.1"), status("010.0.0.1")),
  ]).toEqual([[host], [`${place}.ip: Invalid value: "010.0.0.1": must not have leading 0s`, host]]);
});

test("Ingress: the class in an annotation is warned of once", () => {
  const metadata = { annotations: { "kubernetes.io/ingress.class": "x" } };
  const body = { metadata, ...to(backend.service) };
  expect([warningsOf(Ingress, body).length, warningsOf(Ingress, body, body)]).toEqual([1, []]);
});

test("Ingress: its generation counts changes of the spec alone", () => {
  const old = read(Ingress, { metadata: { generation: 3 }, ...path("/a") });
  const generation = (body: object) => {
    const changed = read(Ingress, { metadata: { generation: 3 }, ...body });
    Ingress.strategy.prepareUpdate?.(changed as never, old as never, write);
    return changed.metadata.generation;
  };
  expect([
    generation({ ...path("/a"), status: { loadBalancer: { ingress: [{}] } } }),
    generation(path("/b")),
  ]).toEqual([3, 4]);
});

test("Ingress: a row shows three hosts, and every address once", () => {
  const rules = ["a", "", "b", "c", "d"].map((host) => ({ host }));
  const ingress = [{ ip: "10.0.0.2" }, { hostname: "h" }, { ip: "10.0.0.2" }, {}];
  const body = { spec: { rules, tls: [{}] }, status: { loadBalancer: { ingress } } };
  expect(cellsOf(Ingress, body)).toEqual(["<none>", "a,b,c + 2 more...", "10.0.0.2,h", "80, 443"]);
});
