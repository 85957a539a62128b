import { expect, test } from "vitest";
import { aPod } from "../../framework/framework.test-support.ts";
import { extendedRequests } from "./extended-requests.ts";

const container = (name: string, amount: string | undefined, more: object = {}) => ({
  name,
  resources: { requests: { cpu: "1", ...(amount && { "x.org/gpu": amount }) } },
  ...more,
});
const always = { restartPolicy: "Always" };

/** The requests as `NAME×COUNT`, and the mappings as `CONTAINER=REQUEST`. */
function shown(initContainers: readonly object[], containers: readonly object[]) {
  const pod = aPod("p", { spec: { initContainers, containers } });
  const { requests, mappings } = extendedRequests(pod, new Map([["x.org/gpu", "gpu"]]));
  return [
    ...requests.map(({ name, exactly }) => `${name}×${exactly?.count}`),
    ...mappings.map(({ containerName, requestName }) => `${containerName}=${requestName}`),
  ];
}

test.each<[string, readonly object[], readonly object[], readonly string[]]>([
  [
    "each container has a request of its own",
    [],
    [container("a", "2"), container("b", undefined), container("c", "1")],
    [
      "container-0-request-1×2",
      "container-2-request-1×1",
      "a=container-0-request-1",
      "c=container-2-request-1",
    ],
  ],
  [
    "an init container uses the devices of those that start later",
    [container("init", "2")],
    [container("a", "1"), container("b", "1")],
    [
      "container-1-request-1×1",
      "container-2-request-1×1",
      "a=container-1-request-1",
      "b=container-2-request-1",
      "init=container-1-request-1",
      "init=container-2-request-1",
    ],
  ],
  [
    "init containers share what they need beyond that",
    [container("one", "2"), container("two", "4")],
    [container("a", "1")],
    [
      "container-1-request-1×3",
      "container-2-request-1×1",
      "a=container-2-request-1",
      "one=container-2-request-1",
      "one=container-1-request-1",
      "two=container-2-request-1",
      "two=container-1-request-1",
    ],
  ],
  [
    "a sidecar keeps its devices",
    [container("sidecar", "1", always), container("init", "1")],
    [container("a", "1")],
    [
      "container-0-request-1×1",
      "container-2-request-1×1",
      "sidecar=container-0-request-1",
      "a=container-2-request-1",
      "init=container-2-request-1",
    ],
  ],
])("extendedRequests: %s", (_, initContainers, containers, expected) => {
  expect(shown(initContainers, containers)).toEqual(expected);
});
