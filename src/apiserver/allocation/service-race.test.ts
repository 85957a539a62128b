import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { laggingStore } from "./lagging-store.test-support.ts";
import { type ServiceServer, serviceServer } from "./service-server.test-support.ts";

/** Two servers on one store with the same random numbers; the second receives changes late. */
async function twoServers(options: object = {}): Promise<[ServiceServer, ServiceServer]> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const store = new MemoryStore(clock);
  const ahead = await serviceServer({ clock, store, ...options });
  const far = laggingStore(store);
  const behind = await serviceServer({ clock, store: far.store, ...options });
  far.lag();
  return [ahead, behind];
}

/** Runs some requests at a time, as a client would. */
async function inTurns<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) results[n] = await work(n);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  return results;
}

const sorted = (items: readonly (string | undefined)[]) => [...items].sort();

test("two servers allocate 200 addresses of a /24 to 200 services", async () => {
  const [a, b] = await twoServers();
  const made = await inTurns(200, (n) => (n % 2 ? a : b).create(`s${n}`, { type: "NodePort" }));
  const given = made.map(({ spec }) => spec.clusterIP);
  expect(new Set(given).size).toBe(200);
  expect(sorted(await a.addresses())).toEqual(sorted(given));
  const ports = made.map(({ spec }) => spec.ports?.[0]?.nodePort ?? 0);
  expect(new Set(ports).size).toBe(200);
  expect(await b.ports()).toEqual([...ports].sort((x, y) => x - y));
});

test("two servers fill a range, and both report that it is full", async () => {
  const [a, b] = await twoServers({ serviceRange: "10.0.0.0/26" });
  const outcomes = await inTurns(80, (n) => (n % 2 ? a : b).tryCreate(`s${n}`));
  expect(outcomes.filter((answer) => answer === "201").length).toBe(61);
  expect(new Set(outcomes.filter((answer) => answer !== "201").map(withoutName))).toEqual(
    new Set([
      "500 Internal error occurred: failed to allocate a serviceIP for Service: range is full",
    ]),
  );
  expect((await a.addresses()).length).toBe(61);
});

test("an address that many services request is allocated to one", async () => {
  const [a, b] = await twoServers();
  const outcomes = await inTurns(200, (n) =>
    (n % 2 ? a : b).tryCreate(`s${n}`, { clusterIP: `10.0.0.${20 + (n % 100)}` }),
  );
  expect(outcomes.filter((answer) => answer === "201").length).toBe(100);
  expect(outcomes.filter((answer) => answer !== "201").every((text) => rejected.test(text))).toBe(
    true,
  );
  expect((await b.addresses()).length).toBe(100);
});
const rejected = /^422 .*: failed to allocate IP 10\.0\.0\.\d+: provided IP is already allocated$/;

test("a node port that many services request is allocated to one", async () => {
  const [a, b] = await twoServers();
  const outcomes = await inTurns(60, (n) =>
    (n % 2 ? a : b).tryCreate(`s${n}`, {
      type: "NodePort",
      ports: [{ port: 80, nodePort: 30000 + (n % 20) }],
    }),
  );
  expect(outcomes.filter((answer) => answer === "201").length).toBe(20);
  expect(await a.ports()).toEqual(Array.from({ length: 20 }, (_, n) => 30000 + n));
  expect((await a.addresses()).length).toBe(20);
});

test("rejected services of taken names leave no addresses behind", async () => {
  const [a, b] = await twoServers();
  const outcomes = await inTurns(60, (n) => (n % 2 ? a : b).tryCreate(`s${n % 20}`));
  expect(outcomes.filter((answer) => answer === "201").length).toBe(20);
  expect((await a.addresses()).length).toBe(20);
});

test("after many creations and deletions, the allocations match the services", async () => {
  const [a, b] = await twoServers();
  await inTurns(150, async (n) => {
    const spec = { type: n % 3 ? "NodePort" : "ClusterIP" };
    await (n % 2 ? a : b).create(`s${n}`, spec);
    if (n % 5) await (n % 2 ? b : a).remove(`s${n}`);
    else if (n % 3) await (n % 2 ? b : a).patch(`s${n}`, { type: "ClusterIP" });
  });
  const left = await a.services();
  expect(left.length).toBe(30);
  expect(sorted(await b.addresses())).toEqual(sorted(left.map(({ spec }) => spec.clusterIP)));
  expect(await b.ports()).toEqual([]);
});

test("a server that is behind does not allocate taken values", async () => {
  const [ahead, behind] = await twoServers();
  const spec = { type: "NodePort", clusterIP: "10.0.0.40", ports: [{ port: 1, nodePort: 30040 }] };
  await ahead.create("first", spec);
  expect(await behind.tryCreate("second", spec)).toMatch(rejected);
  await ahead.create("third", { type: "NodePort", ports: [{ port: 1, nodePort: 30041 }] });
  const port = { type: "NodePort", ports: [{ port: 1, nodePort: 30041 }] };
  expect(await behind.tryCreate("second", port)).toEqual(
    '422 Service "second" is invalid: spec.ports[0].nodePort: Invalid value: 30041: provided port is already allocated',
  );
  expect((await ahead.addresses()).length).toBe(2);
});

test("a server that is behind allocates values that another server has released", async () => {
  const [ahead, behind] = await twoServers();
  const spec = { type: "NodePort", clusterIP: "10.0.0.40", ports: [{ port: 1, nodePort: 30040 }] };
  await behind.create("first", spec);
  await ahead.remove("first");
  expect(await behind.tryCreate("second", spec)).toEqual("201");
  expect([await ahead.addresses(), await ahead.ports()]).toEqual([["10.0.0.40"], [30040]]);
});

test("a server that is behind releases all values that a service has by now", async () => {
  const [ahead, behind] = await twoServers({ serviceRange: "10.0.0.0/24,fd00::/112" });
  await behind.create("web");
  await ahead.patch("web", { type: "NodePort", ipFamilyPolicy: "PreferDualStack" });
  expect((await ahead.addresses()).length).toBe(2);
  await behind.remove("web");
  expect([await ahead.addresses(), await ahead.ports()]).toEqual([[], []]);
});

test("a server that is behind releases an address whose IPAddress was changed", async () => {
  const [ahead, behind] = await twoServers({ serviceRange: "10.0.0.0/24,fd00::/112" });
  const { spec } = await behind.create("web", { ipFamilyPolicy: "PreferDualStack" });
  const [first, second] = spec.clusterIPs ?? [];
  const path = `/apis/networking.k8s.io/v1/ipaddresses/${second}`;
  await ahead.request("PATCH", path, { metadata: { annotations: { a: "b" } } });
  await behind.patch("web", { ipFamilyPolicy: "SingleStack" });
  expect(await ahead.addresses()).toEqual([first]);
});

const withoutName = (text: string) => text.replace(/Service "s\d+"/, "Service");
