import { test } from "vitest";
import { crashRollouts } from "./rollout-crash.test-support.ts";

// More of them: npm run rollout-crash
test("a cluster that is killed in the middle of four rollouts reaches the declared state", async () => {
  await crashRollouts({ rollouts: 4, seed: 1 });
}, 180_000);
