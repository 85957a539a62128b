import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { NodeUse } from "./node-use.ts";

const pod = (requests: object, hostPort = 0): Pod =>
  ({
    spec: {
      containers: [{ name: "c", resources: { requests }, ports: [{ containerPort: 1, hostPort }] }],
    },
  }) as unknown as Pod;

test("NodeUse counts pods and their resources as they are added, changed and removed", () => {
  const used = new NodeUse();
  used.take("a", pod({ cpu: "500m", memory: "1Ki" }).spec);
  used.take("b", pod({ cpu: "1" }).spec);
  expect([used.pods, used.amountOf("cpu"), used.amountOf("memory")]).toEqual([2, 1500, 1024]);
  used.retake("b", pod({ cpu: "2" }).spec);
  expect([used.pods, used.amountOf("cpu")]).toEqual([2, 2500]);
  used.take("b", pod({ memory: "1Ki" }).spec);
  expect([used.pods, used.amountOf("cpu"), used.amountOf("memory")]).toEqual([2, 500, 2048]);
  used.free("a");
  used.free("a");
  expect([used.pods, used.amountOf("cpu"), used.amountOf("memory")]).toEqual([1, 0, 1024]);
});

test("NodeUse: a change of a removed pod does not count", () => {
  const used = new NodeUse();
  used.take("a", pod({ cpu: "1" }).spec);
  used.free("a");
  used.retake("a", pod({ cpu: "2" }).spec);
  expect([used.pods, used.amountOf("cpu"), used.amountOf("pods")]).toEqual([0, 0, 0]);
});

test("NodeUse: the usage of others excludes the pod itself", () => {
  const used = new NodeUse();
  used.take("a", pod({ cpu: "1" }, 80).spec);
  used.take("b", pod({ cpu: "2" }).spec);
  expect(used.hasPortOf(pod({}, 80))).toBe(true);
  const beside = used.beside("a");
  expect([beside.pods, beside.amountOf("cpu"), beside.hasPortOf(pod({}, 80))]).toEqual([
    1,
    2000,
    false,
  ]);
  expect(used.pods).toBe(2);
});
