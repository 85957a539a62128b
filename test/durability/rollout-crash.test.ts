import { test } from "vitest";
import { crashRollouts } from "./rollout-crash.test-support.ts";

// More of them: npm run rollout-crash
test("killed in the middle of four rollouts, the cluster comes to be as it was declared", async () => {
  await crashRollouts({ rollouts: 4, seed: 1 });
}, 180_000);
