import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";
import { newTerminations, type Termination } from "./new-terminations.ts";

const running = { name: "a", state: { running: {} } };
const ended = { name: "a", state: { terminated: { exitCode: 139, reason: "Error" } } };
const status = (given: object): PodStatus => given as PodStatus;

each<[what: string, before: object, after: object, found: readonly Termination[]]>([
  ["none that runs", {}, { containerStatuses: [running] }, []],
  [
    "one that ran",
    { containerStatuses: [running] },
    { containerStatuses: [ended] },
    [{ type: "container", exitCode: 139, reason: "Error" }],
  ],
  [
    "one that was not seen before",
    {},
    { initContainerStatuses: [ended] },
    [{ type: "init_container", exitCode: 139, reason: "Error" }],
  ],
  ["none that had ended", { containerStatuses: [ended] }, { containerStatuses: [ended] }, []],
  [
    "one of the same name in another list",
    { containerStatuses: [ended] },
    { ephemeralContainerStatuses: [{ name: "a", state: { terminated: { exitCode: 0 } } }] },
    [{ type: "ephemeral_container", exitCode: 0, reason: "" }],
  ],
])("newTerminations: %s", (_, before, after, found) => {
  expect(newTerminations(status(before), status(after))).toEqual(found);
});
