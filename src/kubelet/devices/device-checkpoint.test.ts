import { expect, test } from "vitest";
import { decodeDeviceCheckpoint, encodeDeviceCheckpoint } from "./device-checkpoint.ts";
import { responseWith } from "./devices.test-support.ts";

const checkpoint = {
  allocations: [
    {
      ...{ podUid: "uid-1", container: "c", resource: "example.com/dev" },
      byNode: { "0": ["a", "b"], "-1": ["c"] },
      response: responseWith({
        envs: { A: "1" },
        mounts: [{ container_path: "/c", host_path: "/h", read_only: true }],
        devices: [{ container_path: "/dev/c", host_path: "/dev/h", permissions: "rw" }],
        cdi_devices: [{ name: "example.com/dev=a" }],
      }),
    },
  ],
  registered: { "example.com/dev": ["a", "b", "c"] },
};

test("encodeDeviceCheckpoint: what is written can be read", () => {
  expect(decodeDeviceCheckpoint(encodeDeviceCheckpoint(checkpoint))).toEqual(checkpoint);
});

test("encodeDeviceCheckpoint: the form is upstream's", () => {
  const { Data } = JSON.parse(encodeDeviceCheckpoint(checkpoint)) as Record<string, unknown>;
  expect(Data).toMatchObject({
    PodDeviceEntries: [
      {
        ...{ PodUID: "uid-1", ContainerName: "c", ResourceName: "example.com/dev" },
        DeviceIDs: { "0": ["a", "b"], "-1": ["c"] },
        AllocResp: expect.stringMatching(/^[\w+/]+=*$/),
      },
    ],
    RegisteredDevices: { "example.com/dev": ["a", "b", "c"] },
  });
  expect(encodeDeviceCheckpoint({ allocations: [], registered: {} })).toMatch(
    /^\{"Data":\{"PodDeviceEntries":null,"RegisteredDevices":\{\}\},"Checksum":\d+\}$/,
  );
});

test("decodeDeviceCheckpoint: a changed file is refused", () => {
  const text = encodeDeviceCheckpoint(checkpoint).replace('["a","b"]', '["a","x"]');
  expect(() => decodeDeviceCheckpoint(text)).toThrow("checkpoint is corrupted");
});
