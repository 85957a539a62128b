import { expect, test } from "vitest";
import { decodeClaimCheckpoint, encodeClaimCheckpoint } from "./claim-checkpoint.ts";
import type { NodeClaim, PreparedDevice } from "./node-claim.ts";

const driver = "test-driver.cdi.k8s.io";
const podUid = "139cdb46-f989-4f17-9561-ca10cfb509a6";
const one: PreparedDevice = {
  pool: "worker-1",
  device: "dev-1",
  requests: ["test request"],
  cdiDevices: ["example.com/example=cdi-example"],
};
const bare: PreparedDevice = { pool: "worker-1", device: "dev-2", requests: [], cdiDevices: [] };
const claim = (name: string, uid: string, device: PreparedDevice): NodeClaim => ({
  ...{ uid, name, namespace: "default", isPrepared: false },
  podUids: new Set([podUid]),
  drivers: new Map([[driver, [device]]]),
});
const uids = ["067798be-454e-4be4-9047-1aa06aea63f7", "4cf8db2d-06c0-7d70-1a51-e59b25b2c16c"];

// What upstream's kubelet v1.36 has written for these claims.
const files: readonly (readonly [string, readonly NodeClaim[], number, string])[] = [
  [
    "one claim",
    [claim("example", uids[0] ?? "", one)],
    2570581864,
    `[{"ClaimUID":"${uids[0]}","ClaimName":"example","Namespace":"default","PodUIDs":{"${podUid}":{}},"DriverState":{"${driver}":{"Devices":[{"PoolName":"worker-1","DeviceName":"dev-1","ShareID":null,"RequestNames":["test request"],"CDIDeviceIDs":["example.com/example=cdi-example"]}]}}}]`,
  ],
  [
    "a share of a device",
    [claim("example", uids[0] ?? "", { ...one, shareId: "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa" })],
    736302156,
    `[{"ClaimUID":"${uids[0]}","ClaimName":"example","Namespace":"default","PodUIDs":{"${podUid}":{}},"DriverState":{"${driver}":{"Devices":[{"PoolName":"worker-1","DeviceName":"dev-1","ShareID":"aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa","RequestNames":["test request"],"CDIDeviceIDs":["example.com/example=cdi-example"]}]}}}]`,
  ],
  [
    "two claims, and a device without names",
    [claim("example-1", uids[0] ?? "", one), claim("example-2", uids[1] ?? "", bare)],
    2820117767,
    `[{"ClaimUID":"${uids[0]}","ClaimName":"example-1","Namespace":"default","PodUIDs":{"${podUid}":{}},"DriverState":{"${driver}":{"Devices":[{"PoolName":"worker-1","DeviceName":"dev-1","ShareID":null,"RequestNames":["test request"],"CDIDeviceIDs":["example.com/example=cdi-example"]}]}}},{"ClaimUID":"${uids[1]}","ClaimName":"example-2","Namespace":"default","PodUIDs":{"${podUid}":{}},"DriverState":{"${driver}":{"Devices":[{"PoolName":"worker-1","DeviceName":"dev-2","ShareID":null,"RequestNames":null,"CDIDeviceIDs":null}]}}}]`,
  ],
];

test.each(files)("encodeClaimCheckpoint: %s, byte for byte as upstream", (_, claims, sum, list) => {
  const Data = `{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":${list}}`;
  const text = encodeClaimCheckpoint(claims);
  expect(text).toBe(JSON.stringify({ Data, Checksum: sum }));
  expect(decodeClaimCheckpoint(text)).toEqual(claims);
});

test("decodeClaimCheckpoint: no claims", () => {
  expect(decodeClaimCheckpoint(encodeClaimCheckpoint([]))).toEqual([]);
});

test("decodeClaimCheckpoint: a driver without devices, and several pods", () => {
  const given: NodeClaim = {
    ...claim("c", "u", one),
    podUids: new Set(["p1", "p2"]),
    drivers: new Map([["d", []]]),
  };
  expect(decodeClaimCheckpoint(encodeClaimCheckpoint([given]))).toEqual([given]);
});

test.each(['{"Data":"{}","Checksum":1}', "{}", '{"Data":5,"Checksum":5}'])(
  "decodeClaimCheckpoint: %s is damaged",
  (text) => expect(() => decodeClaimCheckpoint(text)).toThrow("checkpoint is corrupted"),
);
