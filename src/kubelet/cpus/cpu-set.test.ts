import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { parseCpuSet } from "./cpu-set.ts";

each<[text: string, cpus: number[]]>([
  ["", []],
  ["3", [3]],
  ["0-2,5,1-1", [0, 1, 2, 5]],
])("parseCpuSet: %j", (text, cpus) => {
  expect([...parseCpuSet(text)]).toEqual(cpus);
});

each<[text: string, problem: string]>([
  ["a", 'strconv.Atoi: parsing "a": invalid syntax'],
  ["1,", 'strconv.Atoi: parsing "": invalid syntax'],
  ["0--1", 'invalid range "0--1" (0 > -1)'],
  ["3-1", 'invalid range "3-1" (3 > 1)'],
  ["99999999999999999999", 'strconv.Atoi: parsing "99999999999999999999": value out of range'],
  ["0-99999999", 'invalid range "0-99999999": it has more than 65536 CPUs'],
])("parseCpuSet: rejects %j", (text, problem) => {
  expect(() => parseCpuSet(text)).toThrow(new Error(problem));
});
