import { expect, test } from "vitest";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { Endpoint } from "../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { type EndpointGroup, portsKey } from "./endpoint-groups.ts";
import { planSlices, type SlicePlan, type WantedSlice, withReuse } from "./plan-slices.ts";

const service = (labels: Record<string, string> = {}): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", uid: "now", labels },
    spec: { clusterIP: "10.0.0.10" },
    status: {},
  }) as never;

const labels = {
  "kubernetes.io/service-name": "web",
  "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
};
const ports = (port: number) => (port === 0 ? [] : [{ name: "", protocol: "TCP" as const, port }]);
const endpoints = (names: string): Endpoint[] =>
  names
    .split(" ")
    .filter((name) => name !== "")
    .map((name) => ({ addresses: [name], conditions: {} }));

/** `80: a b` are endpoints a and b with port 80; `0:` is an empty slice. */
function parsed(text: string): { readonly port: number; readonly names: string } {
  const [port = "0", names = ""] = text.split(":");
  return { port: Number(port), names: names.trim() };
}

const slice = (name: string, text: string, rest: { labels?: object; uid?: string } = {}) => {
  const { port, names } = parsed(text);
  const owner = { apiVersion: "v1", kind: "Service", name: "web", uid: rest.uid ?? "now" };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name,
      namespace: "default",
      labels: { ...labels, ...rest.labels },
      ownerReferences: [owner],
    },
    addressType: "IPv4",
    ports: ports(port),
    endpoints: endpoints(names),
  } as unknown as EndpointSlice;
};

const textOf = ({ endpoints: all, ports: some }: WantedSlice): string =>
  `${some?.[0]?.port ?? 0}: ${(all ?? []).map(({ addresses }) => addresses[0]).join(" ")}`.trim();
const named = (one: WantedSlice): [string, string] => [one.metadata.name ?? "", textOf(one)];
const shown = (plan: SlicePlan) => ({
  create: plan.create.map(textOf),
  update: Object.fromEntries(plan.update.map(named)),
  delete: plan.delete.map(({ metadata }) => metadata.name),
  unchanged: plan.unchanged.map(({ metadata }) => metadata.name),
});
const nothing = { create: [], update: {}, delete: [], unchanged: [] };

interface Row {
  readonly name: string;
  readonly wanted: readonly string[];
  readonly slices?: readonly EndpointSlice[];
  readonly labels?: Record<string, string>;
  readonly plan: Partial<ReturnType<typeof shown>>;
  /** What becomes of it when slices are used again. */
  readonly reused?: Partial<ReturnType<typeof shown>>;
}

test.each<Row>([
  { name: "without endpoints there is one empty slice", wanted: [], plan: { create: ["0:"] } },
  {
    name: "an empty slice stays",
    wanted: [],
    slices: [slice("s", "0:")],
    plan: { unchanged: ["s"] },
  },
  {
    name: "an empty slice with other labels is written",
    wanted: [],
    slices: [slice("s", "0:")],
    labels: { team: "blue" },
    plan: { create: ["0:"], delete: ["s"] },
    reused: { update: { s: "0:" } },
  },
  {
    name: "endpoints with other ports are in slices of their own",
    wanted: ["80: a b", "81: c"],
    plan: { create: ["80: a b", "81: c"] },
  },
  {
    name: "the empty slice becomes the first with endpoints",
    wanted: ["80: a"],
    slices: [slice("s", "0:")],
    plan: { create: ["80: a"], delete: ["s"] },
    reused: { update: { s: "80: a" } },
  },
  {
    name: "the last slice that is emptied is kept as the empty one",
    wanted: [],
    slices: [slice("s", "80: a"), slice("t", "80: b")],
    plan: { create: ["0:"], delete: ["s", "t"] },
    reused: { update: { s: "0:" }, delete: ["t"] },
  },
  {
    name: "changed ports are written into the slice that is there",
    wanted: ["81: a"],
    slices: [slice("s", "80: a")],
    plan: { create: ["81: a"], delete: ["s"] },
    reused: { update: { s: "81: a" } },
  },
  {
    name: "labels of the service are written without touching endpoints",
    wanted: ["80: a"],
    slices: [slice("s", "80: a")],
    labels: { team: "blue" },
    plan: { update: { s: "80: a" } },
  },
  {
    name: "labels that slices have for themselves make no difference",
    wanted: ["80: a"],
    slices: [slice("s", "80: a", { labels: { "service.kubernetes.io/headless": "" } })],
    labels: { "endpointslice.kubernetes.io/managed-by": "me" },
    plan: { unchanged: ["s"] },
  },
  {
    name: "slices of a former service are deleted, not reused",
    wanted: ["80: a"],
    slices: [slice("s", "80: a", { uid: "then" })],
    plan: { create: ["80: a"], delete: ["s"] },
    reused: { create: ["80: a"], delete: ["s"] },
  },
  {
    name: "slices are compared by name, in any order",
    wanted: ["80: a b c"],
    slices: [slice("t", "80: b"), slice("s", "80: a")],
    plan: { update: { s: "80: a c" }, unchanged: ["t"] },
  },
])("planSlices: $name", ({ wanted, slices = [], labels: own, plan, reused }) => {
  const groups = new Map<string, EndpointGroup>(
    wanted.map((text) => {
      const { port, names } = parsed(text);
      return [portsKey(ports(port)), { ports: ports(port), endpoints: endpoints(names) }];
    }),
  );
  const planned = planSlices(service(own), { type: "IPv4", slices, groups, capacity: 3 });
  expect(shown(planned)).toEqual({ ...nothing, ...plan });
  expect(shown(withReuse(planned, service()))).toEqual({ ...nothing, ...(reused ?? plan) });
});
