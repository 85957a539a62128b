import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { knownSignal, signalNumber } from "./signal-number.ts";

each<[string, number]>([
  ["SIGTERM", 15],
  ["term", 15],
  ["9", 9],
  ["SIGRTMIN+3", 37],
  ["RTMAX-1", 63],
])("signalNumber: %s is %i", (name, number) => {
  expect(signalNumber(name)).toBe(number);
});

test("signalNumber: other names and numbers are refused", () => {
  for (const wrong of ["", "SIGNONE", "0", "65", "RTMIN+40"])
    expect(() => signalNumber(wrong)).toThrow(`Invalid signal: ${wrong}`);
});

test("knownSignal: the name of an image's signal, if there is one", () => {
  expect([knownSignal("SIGQUIT"), knownSignal("NOSUCH"), knownSignal()]).toEqual([
    "SIGQUIT",
    undefined,
    undefined,
  ]);
});
