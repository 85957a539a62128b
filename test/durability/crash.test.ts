import { afterAll, expect, test } from "vitest";
import { adminOf, type HttpsClient } from "../support/https-client.test-support.ts";
import {
  newDirectory,
  type ServerProcess,
  startProcess,
} from "../support/server-process.test-support.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const writes = 1_000;
const inFlight = 32;

const directory = newDirectory();
let running: ServerProcess | undefined;
afterAll(async () => {
  await running?.end("SIGKILL");
  directory.remove();
});

/** A write that was answered: what it wrote, as which object, at which revision. */
interface Answered {
  readonly token: string;
  readonly name: string;
  readonly revision: number;
}

test("a server that is killed during 1,000 writes loses no acknowledged write", async () => {
  const killAfter = Math.floor(writes * (0.2 + 0.5 * Math.random()));
  const told = `killed after ${killAfter} answers`;
  const first = await startProcess(directory.data);
  running = first;
  const client = adminOf(directory.data, first.port);
  const answered = await writeUntilKilled(client, killAfter, () => first.end("SIGKILL"));
  client.close();
  expect(answered.length, told).toBeGreaterThanOrEqual(killAfter);
  expect(answered.length, told).toBeLessThan(writes);

  const second = await startProcess(directory.data);
  running = second;
  const again = adminOf(directory.data, second.port);
  const { body } = await again.call("GET", configMaps);
  const written = body.items.filter(({ data }) => data?.token !== undefined);
  const found = new Map(written.map((item) => [item.data?.token, item.metadata]));
  const lost = answered.filter(
    ({ token, name, revision }) =>
      found.get(token)?.name !== name || Number(found.get(token)?.resourceVersion) !== revision,
  );
  expect(lost, told).toEqual([]);
  expect(written.length - found.size, `${told}: written twice`).toBe(0);
  expect(found.size - answered.length, `${told}: not answered`).toBeLessThanOrEqual(inFlight);

  const highest = Math.max(...answered.map(({ revision }) => revision));
  expect(Number(body.metadata.resourceVersion), told).toBeGreaterThanOrEqual(highest);
  const next = await again.call("POST", configMaps, { body: { metadata: { name: "after" } } });
  expect(Number(next.body.metadata.resourceVersion), told).toBeGreaterThan(
    Number(body.metadata.resourceVersion),
  );
  again.close();
});

/** Writes with many requests in flight; every answer counts that arrived whole. */
async function writeUntilKilled(
  client: HttpsClient,
  killAfter: number,
  kill: () => Promise<unknown>,
): Promise<Answered[]> {
  const answered: Answered[] = [];
  let next = 0;
  let killed: Promise<unknown> | undefined;
  const writer = async (): Promise<void> => {
    while (next < writes) {
      const token = String(next++);
      const body = { metadata: { generateName: "w-" }, data: { token, k: "v".repeat(500) } };
      const answer = await client.call("POST", configMaps, { body }).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status).toBe(201);
      const { name, resourceVersion } = answer.body.metadata;
      answered.push({ token, name, revision: Number(resourceVersion) });
      if (answered.length === killAfter) killed = kill();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writer));
  await killed;
  return answered;
}
