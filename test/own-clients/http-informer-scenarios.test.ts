import { expect, test } from "vitest";
import { runScenario } from "../../src/client/informer/informer-scenario.test-support.ts";
import { type HttpPort, httpPort } from "./http-informer-world.test-support.ts";

const count = 200;
const ports = 40;

test("over HTTP, too, caches reach the server's state, and handlers receive legal histories", {
  timeout: 300_000,
}, async () => {
  const failures: string[] = [];
  const run = async (port: HttpPort, first: number): Promise<void> => {
    for (let seed = first; seed <= count; seed += ports) {
      const world = await port.world();
      await runScenario(world, seed).catch((error) =>
        failures.push(`npm run informer-scenarios -- 1 ${seed} http\n${error}`),
      );
      await world.close();
    }
    await port.close();
  };
  const all = Array.from({ length: ports }, async (_, at) => run(await httpPort(), at + 1));
  await Promise.all(all);
  expect(failures).toEqual([]);
});
