import { expect, test } from "vitest";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { withTaints } from "./change-taints.ts";

const taint = (key: string, timeAdded?: string, effect: Taint["effect"] = "NoExecute"): Taint => ({
  key,
  effect,
  ...(timeAdded !== undefined && { timeAdded }),
});

test("withTaints: new taints are added at the end, equal ones are replaced in place", () => {
  const old = "2026-01-01T00:00:00Z";
  const late = "2026-01-01T00:01:00Z";
  expect(
    withTaints([taint("a", old), taint("b"), taint("a", old, "NoSchedule")], {
      add: [taint("c", late), taint("a", late)],
      remove: [taint("b")],
    }),
  ).toEqual([taint("a", late), taint("a", old, "NoSchedule"), taint("c", late)]);
});
