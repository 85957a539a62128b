import { expect, test } from "vitest";
import { serviceOf, sliceOf } from "./cluster-objects.test-support.ts";
import { ClusterRecords } from "./cluster-records.ts";

const ip = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes);
const headless = { clusterIP: "None", ports: [{ port: 80 }] };

test("ClusterRecords: what changes is found, and what is gone leaves nothing", () => {
  const records = new ClusterRecords(() => 0);
  const addresses = (name: string): readonly string[] =>
    records.endpoints("default", name).map(({ address }) => address.join("."));
  // Slices may arrive before their service.
  records.setSlice(sliceOf("db", [{ addresses: ["10.1.0.1"] }]));
  expect(records.service("default", "db")).toBeUndefined();
  records.setService(serviceOf("db", headless));
  expect(addresses("db")).toEqual(["10.1.0.1"]);
  records.setSlice(sliceOf("db", [{ addresses: ["10.1.0.2"] }, { addresses: ["10.1.0.3"] }]));
  records.setSlice(sliceOf("db", [{ addresses: ["10.1.0.2"] }], { name: "db-copy" }));
  expect(addresses("db")).toEqual(["10.1.0.2", "10.1.0.3", "10.1.0.2"]);
  expect(records.owners(ip(10, 1, 0, 1))).toEqual([]);
  records.removeSlice("default", "db-1");
  expect(addresses("db")).toEqual(["10.1.0.2"]);
  expect(records.owners(ip(10, 1, 0, 2))).toEqual([
    { namespace: "default", service: "db", label: "10-1-0-2" },
  ]);
  // A slice may be given to another service.
  records.setSlice(sliceOf("web", [{ addresses: ["10.1.0.2"] }], { name: "db-copy" }));
  expect([addresses("db"), addresses("web")]).toEqual([[], ["10.1.0.2"]]);

  records.setService(serviceOf("db", { clusterIP: "10.0.0.7" }));
  expect(records.owners(ip(10, 0, 0, 7))).toEqual([{ namespace: "default", service: "db" }]);
  records.removeService("default", "db");
  records.removeSlice("default", "db-copy");
  records.removeSlice("default", "absent");
  expect(records.owners(ip(10, 0, 0, 7))).toEqual([]);
  expect(records.owners(ip(10, 1, 0, 2))).toEqual([]);
  expect(addresses("web")).toEqual([]);
});

test("ClusterRecords: the serial grows with changes, and never shrinks", () => {
  let now = 5000;
  const records = new ClusterRecords(() => now);
  expect(records.serial).toBe(5);
  now = 9000;
  expect(records.serial).toBe(5);
  records.setNamespace("default");
  expect(records.serial).toBe(9);
  now = 7000;
  records.removeNamespace("default");
  expect(records.serial).toBe(9);
});

test("ClusterRecords: one of 10,000 services changes about as fast as one of ten", () => {
  const records = new ClusterRecords(() => 0);
  for (let i = 0; i < 10_000; i++) {
    records.setService(
      serviceOf(`web-${i}`, { clusterIP: `10.${10 + (i >> 14)}.${(i >> 8) & 63}.${i & 255}` }),
    );
    records.setSlice(sliceOf(`web-${i}`, [{ addresses: [`10.200.${i >> 8}.${i & 255}`] }]));
  }
  const began = performance.now();
  for (let i = 0; i < 10_000; i++)
    records.setSlice(sliceOf("web-77", [{ addresses: [`10.201.${i >> 8}.${i & 255}`] }]));
  // A rebuild would take seconds for each.
  expect(performance.now() - began).toBeLessThan(2000);
  expect(records.endpoints("default", "web-77")).toHaveLength(1);
});
