import { expect, test } from "vitest";
import {
  dropStopSignals,
  dropVolumeStatuses,
  setHostPorts,
  setRequestsFromLimits,
} from "./container-preparation.ts";

test("setRequestsFromLimits: what is not asked for is asked for as limited", () => {
  const container = {
    name: "a",
    resources: { limits: { memory: "1Gi", cpu: "2" }, requests: { cpu: "1" } },
  };
  setRequestsFromLimits(container);
  expect(container.resources.requests).toEqual({ cpu: "1", memory: "1Gi" });
});

test("setHostPorts: a port of the node is taken unless another is named", () => {
  const container = {
    name: "a",
    ports: [{ containerPort: 80 }, { containerPort: 1, hostPort: 2 }],
  };
  setHostPorts(container);
  expect(container.ports).toEqual([
    { containerPort: 80, hostPort: 80 },
    { containerPort: 1, hostPort: 2 },
  ]);
});

test("dropStopSignals: a signal goes, and a lifecycle that held nothing else", () => {
  const hook = { sleep: { seconds: 1 } };
  const make = () => [
    { name: "a", lifecycle: { stopSignal: "SIGINT" } },
    { name: "b", lifecycle: { stopSignal: "SIGINT", preStop: hook } },
  ];
  const dropped = make();
  dropStopSignals(dropped, []);
  const kept = make();
  dropStopSignals(kept, [{ lifecycle: { stopSignal: "SIGHUP" } }]);
  expect([dropped, kept]).toEqual([
    [{ name: "a" }, { name: "b", lifecycle: { preStop: hook } }],
    make(),
  ]);
});

test("dropVolumeStatuses: mounts stay, without what is known of their volumes", () => {
  const status = (more: object) => ({
    name: "a",
    state: {},
    lastState: {},
    ready: true,
    restartCount: 0,
    image: "",
    imageID: "",
    volumeMounts: [{ name: "v", mountPath: "/v", ...more }],
  });
  const told = { volumeStatus: { image: { imageRef: "x" } } };
  const dropped = [status(told)];
  dropVolumeStatuses(dropped, []);
  const kept = [status(told)];
  dropVolumeStatuses(kept, [status(told)]);
  expect([dropped, kept]).toEqual([[status({})], [status(told)]]);
});
