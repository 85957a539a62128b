import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { linuxPod, podWith } from "./linux.test-support.ts";
import {
  classMemoryQos,
  containerMemoryQos,
  type MemoryQos,
  podMemoryQos,
  requestedMemory,
  reservedLimits,
} from "./memory-qos.ts";

const mebibyte = 1024 ** 2;
const usual: MemoryQos = {
  isTiered: false,
  throttlingFactor: 0.9,
  allocatableBytes: 1000 * mebibyte,
};
const tiered = { ...usual, isTiered: true };
const resources = (request?: string, limit?: string, cpu?: string) => ({
  requests: { ...(request && { memory: request }), ...(cpu && { cpu }) },
  limits: { ...(limit && { memory: limit }), ...(cpu && { cpu }) },
});
const none = { "memory.min": "0", "memory.low": "0" };
const high = (mebibytes: number) => ({ "memory.high": String(mebibytes * mebibyte) });

each<[what: string, given: object, qos: MemoryQos, files: object]>([
  [
    "without a limit is slowed down before the node's",
    resources("100Mi"),
    usual,
    { ...none, ...high(910) },
  ],
  [
    "with a limit is slowed down before it",
    resources("100Mi", "200Mi"),
    usual,
    { ...none, ...high(190) },
  ],
  ["with equal amounts is not slowed down", resources("100Mi", "100Mi"), usual, none],
  [
    "whose request is protected if that is possible",
    resources("100Mi", "200Mi"),
    tiered,
    { "memory.low": String(100 * mebibyte), ...high(190) },
  ],
  [
    "of a guaranteed pod is protected in any case",
    resources("100Mi", "100Mi", "1"),
    tiered,
    { "memory.min": String(100 * mebibyte) },
  ],
  ["without a request and a limit is left alone", resources(), tiered, none],
])("containerMemoryQos: a container %s", (_, given, qos, files) => {
  const pod = podWith({ resources: given });
  const [container] = pod.spec.containers ?? [];
  expect(containerMemoryQos(pod, container as never, qos)).toEqual(files);
});

const guaranteed = podWith({ resources: resources("100Mi", "100Mi", "1") });
const burstable = podWith({ resources: resources("200Mi") });
const bestEffort = linuxPod({ containers: [{ name: "c", image: "i" }] });

test("podMemoryQos: pods are protected by their class", () => {
  const files = [guaranteed, burstable, bestEffort].map((pod) => podMemoryQos(pod, tiered));
  const [one, two] = [100, 200].map((size) => String(size * mebibyte));
  expect(files).toEqual([{ "memory.min": one }, { "memory.low": two }, undefined]);
  expect(podMemoryQos(guaranteed, usual)).toBeUndefined();
});

test("classMemoryQos: classes protect what their pods do", () => {
  const requested = requestedMemory([guaranteed, burstable, burstable, bestEffort]);
  expect(classMemoryQos(requested, tiered)).toEqual({
    Guaranteed: { "memory.min": String(500 * mebibyte) },
    Burstable: { "memory.low": String(400 * mebibyte) },
  });
  expect(classMemoryQos(requested, usual)).toEqual({
    Guaranteed: { "memory.min": "0" },
    Burstable: { "memory.low": "0" },
  });
});

test("reservedLimits: lower classes leave a part of what is requested", () => {
  const requested = requestedMemory([guaranteed, burstable]);
  const allocatableBytes = 1000 * mebibyte;
  expect(reservedLimits(requested, { percent: 50, allocatableBytes })).toEqual({
    Burstable: 950 * mebibyte,
    BestEffort: 850 * mebibyte,
  });
});
