import { expect, test } from "vitest";
import { settingValues } from "../controller-setting.ts";
import { nodeLifecycleSettings } from "./node-lifecycle-settings.ts";
import { evictionRate, type ZoneState, zoneStateOf } from "./zone-state.ts";

const defaults = settingValues(nodeLifecycleSettings);

test.each<[string, number, number, ZoneState]>([
  ["no node at all is no disruption", 0, 0, "Normal"],
  ["all are ready", 10, 0, "Normal"],
  ["none is ready", 0, 1, "FullDisruption"],
  ["two of three alone disrupt nothing", 1, 2, "Normal"],
  ["three of four do", 1, 3, "PartialDisruption"],
  ["less than the share", 3, 3, "Normal"],
  ["exactly the share", 9, 11, "PartialDisruption"],
  ["just below the share", 46, 54, "Normal"],
])("zoneStateOf: %s", (_, ready, notReady, state) => {
  expect(zoneStateOf({ ready, notReady }, defaults.unhealthyZoneThreshold)).toBe(state);
});

test.each<[ZoneState, number, number]>([
  ["Normal", 10, 0.1],
  ["Normal", 1000, 0.1],
  ["FullDisruption", 10, 0.1],
  ["FullDisruption", 1000, 0.1],
  ["PartialDisruption", 50, 0],
  ["PartialDisruption", 51, 0.01],
])("evictionRate: a zone in %s with %i nodes gives up %f of them a second", (state, size, rate) => {
  expect(evictionRate(state, size, defaults)).toBe(rate);
});
