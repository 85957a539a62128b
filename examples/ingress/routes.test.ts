import { expect, test } from "vitest";
import type { EndpointSlice, Ingress, IngressClass, IngressRule, Service } from "wherry/api";
import { controllerName, findRoute, type RoutedObjects, routesOf } from "./routes.ts";

const classes = [
  { metadata: { name: "example" }, spec: { controller: controllerName } },
  { metadata: { name: "other" }, spec: { controller: "example.com/other" } },
] as IngressClass[];

const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
const path = (path: string, pathType: string, name: string) => ({
  ...{ path, pathType, backend: backend(name) },
});

let age = 0;
const ingress = (rules: readonly object[], spec = {}): Ingress => ({
  ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress", status: { loadBalancer: {} } },
  metadata: {
    ...{ namespace: "default", name: `i${age++}` },
    creationTimestamp: new Date(age * 1000).toISOString(),
  },
  spec: { ingressClassName: "example", rules: rules as IngressRule[], ...spec },
});

/** The service to which a URL leads. */
function leadsTo(ingresses: readonly Ingress[], url: string): string | undefined {
  const routes = routesOf({ ingresses, classes, services: [], slices: [] });
  const { hostname, pathname } = new URL(`http://${url}`);
  return findRoute(routes, { host: hostname, path: pathname })?.backend.name.split("/")[1];
}

test.each([
  ["/a", "Exact", { "x/a": "s", "x/a/": undefined, "x/a/b": undefined }],
  ["/a", "Prefix", { "x/a": "s", "x/a/": "s", "x/a/b": "s", "x/ab": undefined, "x/": undefined }],
  ["/a/", "Prefix", { "x/a": "s", "x/a/b": "s", "x/ab": undefined }],
  ["/", "Prefix", { "x/": "s", "x/a": "s" }],
  ["/a", "ImplementationSpecific", { "x/a/b": "s", "x/ab": undefined }],
])("findRoute: the path %s of type %s", (at, type, expected) => {
  const one = ingress([{ host: "x", http: { paths: [path(at, type, "s")] } }]);
  const found = Object.keys(expected).map((url) => [url, leadsTo([one], url)]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test("findRoute: the longest path wins, and an exact one before a prefix", () => {
  const paths = [
    path("/", "Prefix", "root"),
    path("/a", "Prefix", "a"),
    path("/a/b", "Prefix", "b"),
    path("/a/b", "Exact", "exact"),
  ];
  const one = ingress([{ http: { paths } }]);
  const asked = ["x/", "x/a/c", "x/a/b", "x/a/b/c"];
  expect(asked.map((url) => leadsTo([one], url))).toEqual(["root", "a", "exact", "b"]);
});

test("findRoute: a host by its name, then by a wildcard of one label, then any, then a default backend", () => {
  const rule = (host: string, name: string) => ({
    host,
    http: { paths: [path("/p", "Prefix", name)] },
  });
  const rules = [rule("", "any"), rule("*.x.test", "wildcard"), rule("a.x.test", "name")];
  const one = ingress(rules, { defaultBackend: backend("default") });
  const asked = ["a.x.test/p", "b.x.test/p", "a.b.x.test/p", "x.test/p", "a.x.test/q"];
  expect(asked.map((url) => leadsTo([one], url))).toEqual([
    ...["name", "wildcard", "any", "any", "default"],
  ]);
});

test("findRoute: a host without paths goes to the default backend", () => {
  const one = ingress([{ host: "x" }], { defaultBackend: backend("default") });
  expect(leadsTo([one], "x/a")).toBe("default");
});

test("routesOf: the oldest ingress wins; those of other classes do not count", () => {
  const rules = (name: string) => [{ http: { paths: [path("/", "Prefix", name)] } }];
  const foreign = ingress(rules("foreign"), { ingressClassName: "other" });
  const without = ingress(rules("without"), { ingressClassName: undefined });
  const [old, young] = [ingress(rules("old")), ingress(rules("young"))];
  expect(leadsTo([young, old, foreign, without], "x/")).toBe("old");
  expect(leadsTo([foreign, without], "x/")).toBeUndefined();
});

test("routesOf: the endpoints are the ready ones; without any, those that still serve while they terminate", () => {
  const service = {
    metadata: { namespace: "default", name: "s" },
    spec: { ports: [{ name: "http", port: 80 }] },
  } as unknown as Service;
  const slice = (...conditions: readonly object[]): EndpointSlice =>
    ({
      metadata: { namespace: "default", labels: { "kubernetes.io/service-name": "s" } },
      addressType: "IPv4",
      endpoints: conditions.map((one, i) => ({ addresses: [`10.0.0.${i}`], conditions: one })),
      ports: [
        { name: "http", port: 8080 },
        { name: "metrics", port: 9090 },
      ],
    }) as unknown as EndpointSlice;
  const hosts = (slices: EndpointSlice[], port: object = { number: 80 }) => {
    const to = { service: { name: "s", port } };
    const paths = [{ path: "/", pathType: "Prefix", backend: to }];
    const objects: RoutedObjects = {
      ...{ ingresses: [ingress([{ http: { paths } }])], classes, services: [service], slices },
    };
    return routesOf(objects)[0]?.backend.endpoints;
  };
  const going = { ready: false, serving: true, terminating: true };
  const unready = { ready: false, serving: false, terminating: false };
  expect(hosts([slice({ ready: true }, unready), slice(going)])).toEqual([
    { host: "10.0.0.0", port: 8080 },
  ]);
  expect(hosts([slice(unready, going)], { name: "http" })).toEqual([
    { host: "10.0.0.1", port: 8080 },
  ]);
  expect(hosts([slice({ ready: true })], { number: 81 })).toEqual([]);
});
