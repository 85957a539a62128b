import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type Detachment, type DetachmentFacts, planDetachment } from "./plan-detachment.ts";

const minute = 60_000;
const used: DetachmentFacts = {
  isInUse: true,
  isHealthy: true,
  isOutOfService: false,
  unwantedMs: 0,
  forcesOnTimeout: true,
};

each<[string, Partial<DetachmentFacts>, Detachment]>([
  ["a volume that is not in use goes", { isInUse: false }, { type: "detach" }],
  ["a volume in use waits for six minutes", {}, { type: "wait", ms: 6 * minute + 1 }],
  ["a healthy node keeps it for longer", { unwantedMs: 7 * minute }, { type: "wait" }],
  [
    "a node that is not healthy keeps it for six minutes",
    { isHealthy: false, unwantedMs: 5 * minute },
    { type: "wait", ms: minute + 1 },
  ],
  [
    "then it goes by force",
    { isHealthy: false, unwantedMs: 6 * minute + 1 },
    { type: "detach", forced: "timeout" },
  ],
  [
    "without force it stays",
    { isHealthy: false, unwantedMs: 60 * minute, forcesOnTimeout: false },
    { type: "wait" },
  ],
  [
    "a node that is out of service loses it at once",
    { isOutOfService: true, isHealthy: false, forcesOnTimeout: false },
    { type: "detach", forced: "out-of-service" },
  ],
  [
    "a volume that is late and not in use goes unverified",
    { isInUse: false, unwantedMs: 7 * minute },
    { type: "detach", forced: "timeout" },
  ],
])("planDetachment: %s", (_, facts, expected) => {
  expect(planDetachment({ ...used, ...facts })).toEqual(expected);
});
