import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { resourceField } from "./resource-field.ts";

const pod = {
  spec: {
    containers: [
      {
        name: "c",
        resources: {
          requests: { cpu: "250m", memory: "64Mi", "hugepages-2Mi": "4Mi" },
          limits: { memory: "100M", "ephemeral-storage": "1Gi" },
        },
      },
    ],
    initContainers: [{ name: "i", resources: { limits: { cpu: "0" } } }],
  },
} as unknown as Pod;
const allocatable = { cpu: "3500m", memory: "8Gi" };

each<[container: string, resource: string, divisor: string, text: string]>([
  ["c", "requests.cpu", "0", "1"],
  ["c", "requests.cpu", "1m", "250"],
  ["c", "requests.memory", "1Mi", "64"],
  ["c", "limits.memory", "1Mi", "96"],
  ["c", "limits.memory", "0", "100000000"],
  ["c", "limits.cpu", "1", "4"],
  ["i", "limits.cpu", "1m", "3500"],
  ["i", "limits.memory", "1Gi", "8"],
  ["i", "requests.memory", "1", "0"],
  ["c", "limits.ephemeral-storage", "1Mi", "1024"],
  ["i", "limits.ephemeral-storage", "1Mi", "0"],
  ["c", "requests.hugepages-2Mi", "1Mi", "4"],
  ["c", "limits.hugepages-2Mi", "1Mi", "0"],
])("resourceField: %s %s by %s is %s", (containerName, resource, divisor, text) => {
  expect(resourceField({ resource, divisor }, { pod, containerName, allocatable })).toBe(text);
});

test("resourceField: the container and the resource must exist", () => {
  const value = (containerName: string, resource: string) =>
    resourceField({ resource, divisor: "0" }, { pod, containerName, allocatable });
  expect(() => value("x", "limits.cpu")).toThrow("container x not found");
  expect(() => value("c", "limits.gpu")).toThrow("unsupported container resource : limits.gpu");
});
