import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { adminOf, type Body, type HttpsClient } from "../support/https-client.test-support.ts";
import {
  newDirectory,
  type ServerProcess,
  startProcess,
} from "../support/server-process.test-support.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const directory = newDirectory();
let running: ServerProcess | undefined;
afterAll(async () => {
  await running?.end("SIGKILL");
  directory.remove();
});

/** Follows all changes, over as many watches as it takes, each from where the last one ended. */
interface Follower {
  /** `REVISION TYPE NAME` of each change, in the order of their arrival. */
  readonly seen: string[];
  /** Resolves when the watch that runs has begun, and the next when it has to be resumed. */
  follow(client: HttpsClient): Promise<{ readonly ended: Promise<void> }>;
}

test("100 watchers that resume receive the same changes, each once, across restarts of the server", async () => {
  running = await startProcess(directory.data);
  const { port } = running;
  const before = adminOf(directory.data, port);
  const from = (await before.call("GET", configMaps)).body.metadata.resourceVersion;
  const followers = Array.from({ length: 100 }, () => follower(from));

  const revisions: number[] = [];
  for (const [round, signal] of (["SIGTERM", "SIGKILL", undefined] as const).entries()) {
    const client = adminOf(directory.data, port);
    const watches = await Promise.all(followers.map(({ follow }) => follow(client)));
    revisions.push(...(await writeSome(client, round)));
    if (signal === undefined) break;
    // Some have seen all of it by now, others have not: each resumes from what it has seen.
    await running.end(signal);
    await Promise.all(watches.map(({ ended }) => ended));
    client.close();
    running = await startProcess(directory.data, { port });
  }
  // Of each object two revisions were answered; its end is the third change.
  const changes = (revisions.length * 3) / 2;
  const [first, ...others] = followers.map(({ seen }) => seen) as [string[], ...string[][]];
  await expect.poll(() => followers.every(({ seen }) => seen.length >= changes)).toBe(true);
  const revisionsOf = (lines: readonly string[]) => lines.map((line) => Number(line.split(" ")[0]));
  expect(revisionsOf(first)).toEqual([...new Set(revisionsOf(first))].sort((a, b) => a - b));
  expect(revisionsOf(first.filter((line) => !line.includes(" DELETED ")))).toEqual(revisions);
  expect(first.length).toBe(changes);
  for (const seen of others) expect(seen).toEqual(first);
}, 120_000);

/** Creates, changes and deletes, many at a time; gives the revisions of what was written, in order. */
async function writeSome(client: HttpsClient, round: number): Promise<number[]> {
  const revisions: number[] = [];
  const write = async (method: string, path: string, body: object): Promise<void> => {
    const answer = await client.call(method, path, { body });
    expect(answer.status, answer.text).toBeLessThan(300);
    if (method !== "DELETE") revisions.push(Number(answer.body.metadata.resourceVersion));
  };
  const life = async (name: string): Promise<void> => {
    await write("POST", configMaps, { metadata: { name } });
    await write("PUT", `${configMaps}/${name}`, { metadata: { name }, data: { k: "v" } });
    await write("DELETE", `${configMaps}/${name}`, {});
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => life(`r${round}-${n}`)));
  return revisions.sort((a, b) => a - b);
}

function follower(from: string): Follower {
  let last = from;
  const seen: string[] = [];
  return {
    seen,
    async follow(client) {
      const path = `${configMaps}?watch=1&resourceVersion=${last}`;
      const response = await client.open("GET", path);
      expect(response.statusCode).toBe(200);
      const read = async (): Promise<void> => {
        // Half a line is no event: what the server could not finish is sent again.
        for await (const line of createInterface(response)) {
          const event = parsed(line);
          if (event === undefined) return;
          const { name, resourceVersion } = event.object.metadata;
          seen.push(`${resourceVersion} ${event.type} ${name}`);
          last = resourceVersion;
        }
      };
      return { ended: read().catch(() => {}) };
    },
  };
}

function parsed(line: string): { readonly type: string; readonly object: Body } | undefined {
  try {
    return JSON.parse(line) as { type: string; object: Body };
  } catch {
    return undefined;
  }
}
