import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import { goChecksum, goMap, goScalar, goSlice, goString, goStruct } from "../../base/go-dump.ts";
import { ContainerAllocateResponse } from "./device-messages.ts";
import type { DeviceAllocation } from "./pod-devices.ts";

/** What a kubelet remembers of devices when it starts again. */
export interface DeviceCheckpoint {
  readonly allocations: readonly DeviceAllocation[];
  /** The healthy devices of each resource. */
  readonly registered: Readonly<Record<string, readonly string[]>>;
}

/** Encodes a checkpoint as upstream's kubelets do, which can continue with it. */
export function encodeDeviceCheckpoint({ allocations, registered }: DeviceCheckpoint): string {
  const entries = allocations.map(({ podUid, container, resource, byNode, response }) => ({
    PodUID: podUid,
    ContainerName: container,
    ResourceName: resource,
    DeviceIDs: byNode,
    AllocResp: encodeBase64(ContainerAllocateResponse.encode(response)),
  }));
  const Data: CheckpointData = {
    PodDeviceEntries: entries.length > 0 ? entries : null,
    RegisteredDevices: registered,
  };
  return JSON.stringify({ Data, Checksum: checksumOf(Data) });
}

/** Decodes a checkpoint. Throws if it is damaged. */
export function decodeDeviceCheckpoint(text: string): DeviceCheckpoint {
  const { Data, Checksum } = JSON.parse(text) as {
    readonly Data: CheckpointData;
    readonly Checksum: number;
  };
  if (checksumOf(Data) !== Checksum) throw new Error("checkpoint is corrupted");
  return {
    allocations: (Data.PodDeviceEntries ?? []).map((entry) => ({
      podUid: entry.PodUID,
      container: entry.ContainerName,
      resource: entry.ResourceName,
      byNode: entry.DeviceIDs ?? {},
      response: ContainerAllocateResponse.decode(decodeBase64(entry.AllocResp ?? "")),
    })),
    registered: Data.RegisteredDevices ?? {},
  };
}

interface CheckpointData {
  readonly PodDeviceEntries: readonly PodDeviceEntry[] | null;
  readonly RegisteredDevices: Readonly<Record<string, readonly string[]>>;
}

interface PodDeviceEntry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  readonly DeviceIDs: Readonly<Record<string, readonly string[]>>;
  /** In base64. */
  readonly AllocResp: string;
}

const devices = goSlice(goString);
const Entry = goStruct("checkpoint.PodDevicesEntry", {
  PodUID: goString,
  ContainerName: goString,
  ResourceName: goString,
  DeviceIDs: goMap(devices, "checkpoint.DevicesPerNUMA", "numbers"),
  AllocResp: goSlice(goScalar<number>("uint8")),
});
const Data = goStruct("checkpoint.checkpointData", {
  PodDeviceEntries: goSlice(Entry),
  RegisteredDevices: goMap(devices, "map[string][]string"),
});

function checksumOf({ PodDeviceEntries, RegisteredDevices }: CheckpointData): number {
  const entries = PodDeviceEntries?.map((entry) => ({
    ...entry,
    AllocResp: decodeBase64(entry.AllocResp ?? ""),
  }));
  return goChecksum(Data, {
    PodDeviceEntries: entries ?? null,
    RegisteredDevices: RegisteredDevices ?? {},
  });
}
