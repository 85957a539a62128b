import { expect, test } from "vitest";
import type { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { nextStep } from "./default-service-cidr.ts";
import { type ServiceServer, serviceServer } from "./service-server.test-support.ts";

const path = "/apis/networking.k8s.io/v1/servicecidrs";
const both = ["10.0.0.0/24", "fd00::/112"];

const range = (cidrs: string[], conditions: object[] = [], metadata: object = {}): ServiceCIDR =>
  ({ metadata, spec: { cidrs }, status: { conditions } }) as unknown as ServiceCIDR;
const ready = (status: string) => [{ type: "Ready", status }];
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

test.each([
  ["a missing range is created", undefined, both, "create"],
  ["a correct range is left alone", range(both, ready("True")), both, undefined],
  ["a range without a condition is set ready", range(both), both, "set ready"],
  ["a range of unknown readiness is set ready", range(both, ready("Unknown")), both, "set ready"],
  ["a range that is not ready is reported", range(both, ready("False")), both, "report not ready"],
  ["a range that is being deleted is left alone", range(both, [], going), both, undefined],
  [
    "a range with the first of two networks is widened",
    range(both.slice(0, 1), ready("True")),
    both,
    "widen",
  ],
  [
    "it has two, and should have one",
    range(both, ready("True")),
    both.slice(0, 1),
    "report mismatch",
  ],
  [
    "a range with another network is reported",
    range(["10.1.0.0/16"], ready("True")),
    both,
    "report mismatch",
  ],
  [
    "a range with another order of networks is reported",
    range([...both].reverse()),
    both,
    "report mismatch",
  ],
])("nextStep: %s", (_, existing, cidrs, wanted) => {
  expect(nextStep(existing, cidrs)).toBe(wanted);
});

const get = async ({ request }: ServiceServer, name = "kubernetes") =>
  (await request("GET", `${path}/${name}`)).body as ServiceCIDR;
const post = ({ request }: ServiceServer, name: string, ...cidrs: string[]) =>
  request("POST", path, {
    kind: "ServiceCIDR",
    apiVersion: "networking.k8s.io/v1",
    metadata: { name },
    spec: { cidrs },
  });

test("a server creates a ServiceCIDR of its range, and sets it ready", async () => {
  const { metadata, spec, status } = await get(await serviceServer({ serviceRange: both.join() }));
  expect(spec).toEqual({ cidrs: both });
  expect(status.conditions).toEqual([
    {
      type: "Ready",
      status: "True",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      reason: "",
      message: "Kubernetes default Service CIDR is ready",
    },
  ]);
  expect(metadata.finalizers).toBe(undefined);
  expect(
    metadata.managedFields?.map(({ manager, operation, subresource }) => [
      manager,
      operation,
      subresource,
    ]),
  ).toEqual([
    ["kubernetes-service-cidr-controller", "Apply", "status"],
    ["kube-apiserver", "Update", undefined],
  ]);
});

test("a deleted range is created again", async () => {
  const world = await serviceServer();
  const { metadata } = await get(world);
  await world.request("DELETE", `${path}/kubernetes`);
  expect((await world.request("GET", `${path}/kubernetes`)).status).toBe(404);
  await world.clock.advance(10_000);
  const made = await get(world);
  expect(made.status.conditions?.[0]?.status).toBe("True");
  expect(made.metadata.uid).not.toBe(metadata.uid);
});

test("a server that is started with a second range adds it", async () => {
  const first = await serviceServer({ serviceRange: "10.0.0.0/24" });
  first.server.close();
  const { store, clock } = first;
  const world = await serviceServer({ store, clock, serviceRange: both.join() });
  expect((await get(world)).spec.cidrs).toEqual(both);
  const { spec } = await world.create("web", { ipFamilyPolicy: "RequireDualStack" });
  expect(spec.ipFamilies).toEqual(["IPv4", "IPv6"]);
});

test("a server that is started with another range reports that, and does not change the ServiceCIDR", async () => {
  const first = await serviceServer({ serviceRange: "10.0.0.0/24" });
  first.server.close();
  const { store, clock } = first;
  const world = await serviceServer({ store, clock, serviceRange: "10.1.0.0/24" });
  expect((await get(world)).spec.cidrs).toEqual(["10.0.0.0/24"]);
  const { items } = (await world.request("GET", "/api/v1/namespaces/default/events")).body as {
    items: object[];
  };
  expect(items).toEqual([
    expect.objectContaining({
      reason: "KubernetesDefaultServiceCIDRInconsistent",
      message:
        "The default ServiceCIDR [10.0.0.0/24] does not match the controller flag configurations [10.1.0.0/24]",
      source: { component: "kubernetes-service-cidr-controller" },
      involvedObject: expect.objectContaining({ kind: "ServiceCIDR", name: "kubernetes" }),
    }),
  ]);
});

test("ranges that clients create are used until they are being deleted", async () => {
  const world = await serviceServer({ serviceRange: "10.0.0.0/29" });
  const numbers = Array.from({ length: 5 }, (_, n) => n);
  for (const n of numbers) await world.create(`s${n}`);
  expect(await world.tryCreate("more")).toMatch(/range is full$/);
  const asked = { clusterIP: "10.7.0.9" };
  expect(await world.tryCreate("more", asked)).toMatch(/does not match the current range$/);

  expect((await post(world, "extra", "10.7.0.0/24")).status).toBe(201);
  expect((await world.create("a")).spec.clusterIP).toMatch(/^10\.7\.0\./);
  expect((await world.create("b", asked)).spec.clusterIP).toBe("10.7.0.9");

  const holding = { metadata: { finalizers: ["networking.k8s.io/service-cidr-finalizer"] } };
  await world.request("PATCH", `${path}/extra`, holding);
  await world.request("DELETE", `${path}/extra`);
  expect((await get(world, "extra")).metadata.deletionTimestamp).toBeDefined();
  expect(await world.tryCreate("c")).toMatch(/range is full$/);
  expect(await world.tryCreate("c", { clusterIP: "10.7.0.10" })).toMatch(
    /does not match the current range$/,
  );
  await world.remove("b");
  expect((await world.addresses()).filter((name) => name === "10.7.0.9")).toEqual([]);
});

test("a range that is not ready is not used, unless another with the same network is", async () => {
  const world = await serviceServer({ serviceRange: "10.0.0.0/29" });
  await post(world, "extra", "10.7.0.0/24");
  const condition = { ...ready("False")[0], lastTransitionTime: "2026-01-01T00:00:00Z" };
  const status = { conditions: [{ ...condition, reason: "Because", message: "" }] };
  await world.request("PATCH", `${path}/extra/status`, { status });
  const asked = { clusterIP: "10.7.0.9" };
  expect(await world.tryCreate("web", asked)).toMatch(/does not match the current range$/);
  await post(world, "same", "10.7.0.0/24");
  expect(await world.tryCreate("web", asked)).toBe("201");
});
