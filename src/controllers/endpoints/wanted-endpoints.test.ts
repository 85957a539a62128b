import { expect, test } from "vitest";
import type { EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { wantedEndpoints } from "./wanted-endpoints.ts";

const service = (labels?: Record<string, string>, clusterIP = "10.0.0.10"): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", ...(labels && { labels }) },
    spec: { clusterIP },
    status: {},
  }) as unknown as Service;

const addresses = (count: number, first = 0) =>
  Array.from({ length: count }, (_, i) => ({ ip: `10.${first}.${i >> 8}.${i & 255}` }));
const ports = (port: number) => [{ port, protocol: "TCP" as const }];
const subsets: readonly EndpointSubset[] = [{ addresses: addresses(2), ports: ports(80) }];

const writtenEndpoints = (
  from: Service = service(),
  of: readonly EndpointSubset[] = subsets,
  triggerTime?: string,
): Endpoints => {
  const wanted = wantedEndpoints(from, of, { current: undefined, triggerTime });
  return { ...wanted, metadata: { ...wanted?.metadata, resourceVersion: "1" } } as Endpoints;
};

test("wantedEndpoints: new Endpoints have the labels of the service, a managed-by label, and the trigger time", () => {
  expect(writtenEndpoints(service({ team: "blue" }), subsets, "2026-01-01T00:00:00Z")).toEqual({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name: "web",
      resourceVersion: "1",
      labels: { team: "blue", "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
      annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" },
    },
    subsets,
  });
});

test("wantedEndpoints: Endpoints of a headless service get the headless label, and others never", () => {
  const headless = "service.kubernetes.io/headless";
  expect(writtenEndpoints(service({}, "None")).metadata.labels).toHaveProperty(headless, "");
  expect(writtenEndpoints(service({ [headless]: "" })).metadata.labels).not.toHaveProperty([
    headless,
  ]);
});

interface Row {
  readonly name: string;
  readonly current: Endpoints;
  readonly service?: Service;
  readonly isRight: boolean;
}
const with_ = (change: Partial<Endpoints["metadata"]>, rest: Partial<Endpoints> = {}) => ({
  ...writtenEndpoints(),
  ...rest,
  metadata: { ...writtenEndpoints().metadata, ...change },
});

test.each<Row>([
  { name: "the same", current: writtenEndpoints(), isRight: true },
  {
    name: "another order",
    current: with_({}, { subsets: [{ addresses: addresses(2).reverse(), ports: ports(80) }] }),
    isRight: true,
  },
  {
    name: "another address",
    current: with_({}, { subsets: [{ addresses: addresses(1), ports: ports(80) }] }),
    isRight: false,
  },
  { name: "no subsets", current: with_({}, { subsets: [] }), isRight: false },
  {
    name: "other labels",
    current: writtenEndpoints(),
    service: service({ a: "b" }),
    isRight: false,
  },
  { name: "no labels", current: with_({ labels: {} }), isRight: false },
  {
    name: "headless by mistake",
    current: writtenEndpoints(),
    service: service({}, "None"),
    isRight: true,
  },
  {
    name: "marked as over capacity",
    current: with_({ annotations: { "endpoints.kubernetes.io/over-capacity": "truncated" } }),
    isRight: false,
  },
  {
    name: "an annotation of somebody else",
    current: with_({ annotations: { a: "b" } }),
    isRight: true,
  },
])("wantedEndpoints: $name", ({ current, service: from = service(), isRight }) => {
  const wanted = wantedEndpoints(from, subsets, { current, triggerTime: undefined });
  expect(wanted === undefined).toBe(isRight);
});

test("wantedEndpoints: without a new change the trigger time is removed, and other annotations are kept", () => {
  const current = with_({
    annotations: { a: "b", "endpoints.kubernetes.io/last-change-trigger-time": "x" },
  });
  const wanted = wantedEndpoints(service(), [], { current, triggerTime: undefined });
  expect(wanted?.metadata).toMatchObject({ resourceVersion: "1", annotations: { a: "b" } });
  expect(Object.keys(wanted?.metadata.annotations ?? {})).toEqual(["a"]);
});

test.each([
  { ready: [1000], waiting: [0], kept: [[1000, 0]], isCut: false },
  { ready: [1001], waiting: [5], kept: [[1000, 0]], isCut: true },
  { ready: [900], waiting: [200], kept: [[900, 100]], isCut: true },
  {
    ready: [1500, 500],
    waiting: [9, 9],
    kept: [
      [750, 0],
      [250, 0],
    ],
    isCut: true,
  },
  {
    ready: [400, 400],
    waiting: [300, 100],
    kept: [
      [400, 150],
      [400, 50],
    ],
    isCut: true,
  },
  {
    ready: [667, 667, 667],
    waiting: [0, 0, 0],
    kept: [
      [334, 0],
      [334, 0],
      [332, 0],
    ],
    isCut: true,
  },
])(
  "wantedEndpoints: of $ready ready and $waiting other addresses $kept are kept",
  ({ ready, waiting, kept, isCut }) => {
    const many = ready.map((count, i) => ({
      addresses: addresses(count, 2 * i),
      notReadyAddresses: addresses(waiting[i] ?? 0, 2 * i + 1),
      ports: ports(80 + i),
    }));
    const { metadata, subsets: cut = [] } = writtenEndpoints(service(), many);
    expect(
      cut.map((one) => [one.addresses?.length ?? 0, one.notReadyAddresses?.length ?? 0]),
    ).toEqual(kept);
    expect(metadata.annotations).toEqual(
      isCut ? { "endpoints.kubernetes.io/over-capacity": "truncated" } : {},
    );
  },
);
