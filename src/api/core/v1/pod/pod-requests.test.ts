import { expect, test } from "vitest";
import { containerResources, podRequests } from "./pod-requests.ts";

const of = (cpu: string, restartPolicy?: string) => ({
  restartPolicy,
  resources: { requests: { cpu } },
});

test.each([
  ["containers add up", { containers: [of("1"), of("500m")] }, "1500m"],
  [
    "an init container that needs more decides",
    { containers: [of("1")], initContainers: [of("3"), of("2")] },
    "3",
  ],
  [
    "sidecars run beside containers",
    { containers: [of("1")], initContainers: [of("1", "Always")] },
    "2",
  ],
  [
    "and beside the init containers that follow them",
    { containers: [of("2")], initContainers: [of("1", "Always"), of("5"), of("2", "Always")] },
    "6",
  ],
  [
    "but not beside those before them",
    { containers: [of("1")], initContainers: [of("5"), of("1", "Always")] },
    "5",
  ],
])("containerResources: %s", (_, spec, cpu) => {
  expect(containerResources(spec, "requests")).toEqual({ cpu });
});

test("containerResources: requests and limits are summed apart", () => {
  const containers = [{ resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } } }, {}];
  expect(containerResources({ containers }, "limits")).toEqual({ memory: "1Gi" });
});

test("podRequests: the whole pod counts more than its containers, and its overhead comes on top", () => {
  const containers = [{ resources: { requests: { cpu: "1", "a.com/x": "2" } } }];
  const resources = { requests: { cpu: "3", "a.com/x": "9" } };
  const overhead = { cpu: "500m", memory: "1Mi" };
  expect(podRequests({ containers, resources, overhead })).toEqual({
    cpu: "3500m",
    "a.com/x": "2",
    memory: "1Mi",
  });
});
