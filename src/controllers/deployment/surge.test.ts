import { expect, test } from "vitest";
import { deployment } from "./replica-set.test-support.ts";
import { maxSurge, maxUnavailable } from "./surge.ts";

type Amount = number | string;

test.each<[string, number, Amount, Amount, { surge: number; unavailable: number }]>([
  ["shares are rounded: surge up, absence down", 10, "25%", "25%", { surge: 3, unavailable: 2 }],
  ["one pod may surge, none may be missing", 1, "25%", "25%", { surge: 1, unavailable: 0 }],
  ["numbers count as they are", 10, 4, 1, { surge: 4, unavailable: 1 }],
  ["if both come to nothing, one may be missing", 3, 0, "25%", { surge: 0, unavailable: 1 }],
  ["no more are missing than there are", 2, 0, 5, { surge: 0, unavailable: 2 }],
  ["none is missing where none is wanted", 0, 3, 2, { surge: 3, unavailable: 0 }],
  ["more than all may surge", 3, "200%", 0, { surge: 6, unavailable: 0 }],
])("maxSurge, maxUnavailable: %s", (_, replicas, surge, unavailable, expected) => {
  const { spec } = deployment(replicas, { maxSurge: surge, maxUnavailable: unavailable });
  expect({ surge: maxSurge(spec), unavailable: maxUnavailable(spec) }).toEqual(expected);
});

test("maxSurge, maxUnavailable: 0 for a recreation", () => {
  const { spec } = deployment(10, { spec: { strategy: { type: "Recreate" } } });
  expect([maxSurge(spec), maxUnavailable(spec)]).toEqual([0, 0]);
});
