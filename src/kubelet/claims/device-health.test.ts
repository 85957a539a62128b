import { expect, test } from "vitest";
import { claimStatuses } from "./claim-statuses.ts";
import { deviceOf, podWith, preparedClaim } from "./claims.test-support.ts";
import { DeviceHealths, type Health, type ReportedHealth } from "./device-health.ts";
import { NodeClaims } from "./node-claim.ts";

const report = (device: string, health: Health, more: Partial<ReportedHealth> = {}) => ({
  ...{ pool: "pool", device, health, timeoutMs: 30_000, message: "" },
  ...more,
});
const names = (devices: readonly { readonly device: string }[]) => devices.map((one) => one.device);

test("DeviceHealths: a report changes what is new in it", () => {
  const healths = new DeviceHealths();
  const both = [report("1", "Healthy"), report("2", "Unhealthy", { message: "hot" })];
  expect(names(healths.report("d", both, 0))).toEqual(["1", "2"]);
  expect(names(healths.report("d", both, 1000))).toEqual([]);
  expect(names(healths.report("d", [report("1", "Healthy", { message: "m" })], 2000))).toEqual([
    "1",
  ]);
  expect(healths.of("d", report("2", "Unknown"), 2000)).toMatchObject({
    ...{ health: "Unhealthy", message: "hot" },
  });
  expect(healths.of("e", report("2", "Unknown"), 2000).health).toBe("Unknown");
});

test("DeviceHealths: a report counts for a while only", () => {
  const healths = new DeviceHealths();
  healths.report("d", [report("1", "Healthy"), report("2", "Healthy", { timeoutMs: 60_000 })], 0);
  const at = (now: number) =>
    ["1", "2"].map((one) => healths.of("d", report(one, "Unknown"), now).health);
  expect(at(30_000)).toEqual(["Healthy", "Healthy"]);
  expect(at(30_001)).toEqual(["Unknown", "Healthy"]);
  expect(names(healths.report("d", [], 30_001))).toEqual(["1"]);
  expect(names(healths.report("d", [], 30_002))).toEqual([]);
});

test("DeviceHealths: another kubelet continues with the file of upstream's", () => {
  const healths = new DeviceHealths();
  healths.report("d", [report("1", "Unhealthy", { message: "hot" })], 0);
  const text =
    '{"d":{"Devices":{"pool/1":{"PoolName":"pool","DeviceName":"1","Health":"Unhealthy","LastUpdated":"1970-01-01T00:00:00.000Z","HealthCheckTimeout":30000000000,"Message":"hot"}}}}';
  expect(healths.encode()).toBe(text);
  const later = new DeviceHealths();
  later.restore(text);
  expect(later.encode()).toBe(text);
  expect(names(later.clear("d"))).toEqual(["1"]);
  expect(later.encode()).toBe("{}");
});

test("claimStatuses: the devices of each claim and request, each once", () => {
  const claims = new NodeClaims();
  const bare = { pool: "pool", device: "9", requests: ["r"], cdiDevices: [] };
  claims.set(preparedClaim("a", { d: [deviceOf("1:r"), deviceOf("1:r"), deviceOf("2:s"), bare] }));
  const healths = new DeviceHealths();
  healths.report("d", [report("1", "Unhealthy", { message: "hot" }), report("9", "Healthy")], 0);
  const given = podWith("p", "a gone t:late", { resourceClaimStatuses: [] });
  const used = [
    ...[{ name: "my-gone" }, { name: "my-late" }, { name: "my-a", request: "r/sub" }],
    ...[{ name: "my-a" }, { name: "my-a", request: "none" }],
  ];
  const pod = {
    ...given,
    spec: { ...given.spec, containers: [{ name: "c", resources: { claims: used } }] },
  };
  const one = { resourceID: "v/c=1", health: "Unhealthy", message: "hot" };
  const nine = { resourceID: "d/pool/9", health: "Healthy" };
  expect(claimStatuses(pod as never, "c", { claims, healths, now: 0 })).toEqual([
    {
      name: "claim:my-a",
      resources: [one, { resourceID: "v/c=2", health: "Unknown" }, nine],
    },
    { name: "claim:my-a/r/sub", resources: [one, nine] },
  ]);
  expect(claimStatuses(pod as never, "other", { claims, healths, now: 0 })).toEqual([]);
});
