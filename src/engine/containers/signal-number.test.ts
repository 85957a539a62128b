import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { knownSignal, signalName, signalNumber } from "./signal-number.ts";

each<[text: string, number: number | undefined, name: string | undefined]>([
  ["SIGTERM", 15, "SIGTERM"],
  ["TERM", 15, "SIGTERM"],
  ["term", 15, "SIGTERM"],
  ["sigkill", 9, "SIGKILL"],
  ["9", 9, "SIGKILL"],
  ["RTMIN+3", 37, "37"],
  ["SIGRTMIN+3", 37, "37"],
  ["RTMAX-1", 63, "63"],
  ["RTMAX+1", undefined, undefined],
  ["RTMIN+40", undefined, undefined],
  ["RTMIN-1", undefined, undefined],
  ["0", undefined, undefined],
  ["65", undefined, undefined],
  ["", undefined, undefined],
  ["SIGNONE", undefined, undefined],
  ["nosuch", undefined, undefined],
])("signalNumber, signalName: %j", (text, number, name) => {
  expect([signalNumber(text), signalName(text)]).toEqual([number, name]);
});

test("knownSignal: the name of an image's signal, if there is one", () => {
  expect([knownSignal("SIGQUIT"), knownSignal("NOSUCH"), knownSignal()]).toEqual([
    "SIGQUIT",
    undefined,
    undefined,
  ]);
});
