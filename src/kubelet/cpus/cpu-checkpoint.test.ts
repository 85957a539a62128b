import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { CpuAssignments } from "./cpu-assignments.ts";
import { decodeCpuCheckpoint, encodeCpuCheckpoint } from "./cpu-checkpoint.ts";
import { parseCpuSet } from "./cpu-set.ts";

test("encodeCpuCheckpoint: what every kubelet without a policy writes", () => {
  expect(encodeCpuCheckpoint("none", new CpuAssignments())).toBe(
    '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
  );
});

test("encodeCpuCheckpoint: has upstream's checksum", () => {
  const assignments = new CpuAssignments();
  assignments.share(parseCpuSet("1-3"));
  assignments.restore("pod", "container2", parseCpuSet("1-3"));
  assignments.restore("pod", "container1", parseCpuSet("4-6"));
  const text = encodeCpuCheckpoint("none", assignments);
  expect(text).toBe(
    '{"policyName":"none","defaultCpuSet":"1-3","entries":{"pod":{"container1":"4-6","container2":"1-3"}},"checksum":3610638499}',
  );
  expect(decodeCpuCheckpoint(text, "none")).toEqual(assignments);
});

each<[text: string, why: string]>([
  ["{", "unexpected end of JSON input"],
  ['{"policyName":"none","defaultCpuSet":"4-6","checksum":1337}', "checkpoint is corrupted"],
  ['{"policyName":"none","entries":{"p":{"c":1}}}', "checkpoint is corrupted"],
  [
    '{"policyName":"other"}',
    'configured policy "none" differs from state checkpoint policy "other"',
  ],
  [
    '{"policyName":"none","defaultCpuSet":"1.3"}',
    'could not parse default cpu set "1.3": strconv.Atoi: parsing "1.3": invalid syntax',
  ],
  [
    '{"policyName":"none","entries":{"pod":{"container2":"asd"}}}',
    'could not parse cpuset "asd" for container "container2" in pod "pod": strconv.Atoi: parsing "asd": invalid syntax',
  ],
])("decodeCpuCheckpoint: rejects %j", (text, why) => {
  expect(() => decodeCpuCheckpoint(text, "none")).toThrow(why);
});
