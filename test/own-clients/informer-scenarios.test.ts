import { expect, test } from "vitest";
import { runScenario } from "../../src/client/informer/informer-scenario.test-support.ts";
import { inProcessWorld } from "./informer-world.test-support.ts";

const count = 500;

test("however a server misbehaves, caches reach its state, and handlers receive legal histories", {
  timeout: 300_000,
}, async () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= count; seed++) {
    const world = await inProcessWorld();
    const repeat = `npm run informer-scenarios -- 1 ${seed}`;
    await runScenario(world, seed).catch((error: unknown) => failures.push(`${repeat}\n${error}`));
    await world.close();
  }
  expect(failures).toEqual([]);
});
