import { crc32 } from "../../base/hashes/crc32.ts";
import type { NodeClaim, PreparedDevice } from "./node-claim.ts";

/** Encodes the claims of a node as upstream's kubelets do, which can continue with them. */
export function encodeClaimCheckpoint(claims: readonly NodeClaim[]): string {
  const list = claims.map(({ uid, name, namespace, podUids, drivers }) => ({
    ClaimUID: uid,
    ClaimName: name,
    Namespace: namespace,
    PodUIDs: Object.fromEntries([...podUids].sort().map((podUid) => [podUid, {}])),
    DriverState: Object.fromEntries(
      [...drivers]
        .sort(byName)
        .map(([driver, devices]) => [driver, { Devices: orNull(devices.map(encodeDevice)) }]),
    ),
  }));
  const Data = JSON.stringify({
    kind: "DRACheckpoint",
    apiVersion: "checkpoint.dra.kubelet.k8s.io/v1",
    ClaimInfoStateList: orNull(list),
  });
  return JSON.stringify({ Data, Checksum: checksumOf(Data) });
}

/** Decodes a checkpoint. Throws if it is damaged. */
export function decodeClaimCheckpoint(text: string): readonly NodeClaim[] {
  const { Data, Checksum } = JSON.parse(text) as StoredCheckpoint;
  if (typeof Data !== "string" || checksumOf(Data) !== Checksum)
    throw new Error("checkpoint is corrupted");
  const { ClaimInfoStateList } = JSON.parse(Data) as StoredData;
  return (ClaimInfoStateList ?? []).map((stored) => ({
    uid: stored.ClaimUID,
    name: stored.ClaimName,
    namespace: stored.Namespace,
    podUids: new Set(Object.keys(stored.PodUIDs ?? {})),
    drivers: new Map(
      Object.entries(stored.DriverState ?? {}).map(([driver, { Devices }]) => [
        driver,
        (Devices ?? []).map(decodeDevice),
      ]),
    ),
    isPrepared: false,
  }));
}

interface StoredCheckpoint {
  readonly Data: string;
  readonly Checksum: number;
}

interface StoredData {
  readonly ClaimInfoStateList: readonly StoredClaim[] | null;
}

interface StoredClaim {
  readonly ClaimUID: string;
  readonly ClaimName: string;
  readonly Namespace: string;
  readonly PodUIDs: Readonly<Record<string, object>> | null;
  readonly DriverState: Readonly<
    Record<string, { readonly Devices: readonly StoredDevice[] | null }>
  > | null;
}

interface StoredDevice {
  readonly PoolName: string;
  readonly DeviceName: string;
  readonly ShareID?: string | null;
  readonly RequestNames: readonly string[] | null;
  readonly CDIDeviceIDs: readonly string[] | null;
}

const encodeDevice = (device: PreparedDevice): StoredDevice => ({
  PoolName: device.pool,
  DeviceName: device.device,
  ShareID: device.shareId ?? null,
  RequestNames: orNull(device.requests),
  CDIDeviceIDs: orNull(device.cdiDevices),
});

const decodeDevice = (stored: StoredDevice): PreparedDevice => ({
  pool: stored.PoolName,
  device: stored.DeviceName,
  ...(stored.ShareID && { shareId: stored.ShareID }),
  requests: stored.RequestNames ?? [],
  cdiDevices: stored.CDIDeviceIDs ?? [],
});

/** Go writes null for a list that nothing was added to. */
const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length > 0 ? list : null);

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

const checksumOf = (data: string): number => crc32(new TextEncoder().encode(data));
