import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { assignmentsOn } from "./memory.test-support.ts";
import { decodeMemoryCheckpoint, encodeMemoryCheckpoint } from "./memory-checkpoint.ts";

test("encodeMemoryCheckpoint: what every kubelet without a policy writes", () => {
  expect(encodeMemoryCheckpoint("None", assignmentsOn(new Map()))).toBe(
    '{"policyName":"None","machineState":{},"checksum":4236770233}',
  );
});

test("encodeMemoryCheckpoint: has upstream's checksum", () => {
  const memory = { total: 2048, systemReserved: 512, allocatable: 1536, reserved: 512, free: 1024 };
  const assignments = assignmentsOn(
    new Map([[0, { assignments: 0, tables: { memory }, group: [] }]]),
  );
  assignments.set("pod", "container1", [{ nodes: [0], type: "memory", bytes: 512 }]);
  const text = encodeMemoryCheckpoint("static", assignments);
  expect(text).toBe(
    '{"policyName":"static","machineState":{"0":{"numberOfAssignments":0,"memoryMap":{"memory":{"total":2048,"systemReserved":512,"allocatable":1536,"reserved":512,"free":1024}},"cells":[]}},"entries":{"pod":{"container1":[{"numaAffinity":[0],"type":"memory","size":512}]}},"checksum":4215593881}',
  );
  expect(decodeMemoryCheckpoint(text, "static")).toEqual(assignments);
});

each<[text: string, why: string]>([
  ["{", "unexpected end of JSON input"],
  ['{"policyName":"Static","machineState":{},"checksum":101010}', "checkpoint is corrupted"],
  ['{"policyName":"Static","entries":{"p":{"c":[{"size":"1"}]}}}', "checkpoint is corrupted"],
  ['{"policyName":"Static","machineState":{"0":{}}}', "checkpoint is corrupted"],
  [
    '{"policyName":"None"}',
    '[memorymanager] configured policy "Static" differs from state checkpoint policy "None"',
  ],
])("decodeMemoryCheckpoint: rejects %j", (text, why) => {
  expect(() => decodeMemoryCheckpoint(text, "Static")).toThrow(why);
});
