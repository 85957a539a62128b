import { mkdtemp, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { Profile } from "../../platform/profiling/pprof.ts";
import { openDebugSocket } from "./debug-socket.ts";
import { profilePages } from "./profile-pages.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

function get(socketPath: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks) });
      });
    })
      .on("error", reject)
      .end();
  });
}

async function opened(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "debug-socket-")), "debug.sock");
  const socket = await openDebugSocket(path, { pages: profilePages(), log: noLog });
  onTestFinished(() => socket.close());
  return path;
}

test("debug socket: only its owner may use it; it has an index, and nothing else", async () => {
  const path = await opened();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const index = await get(path, "/debug/pprof/");
  expect([index.status, index.body.toString()]).toEqual([
    200,
    expect.stringContaining('<a href="profile">'),
  ]);
  const redirect = await get(path, "/debug/pprof");
  expect([redirect.status, redirect.headers.location]).toEqual([301, "/debug/pprof/"]);
  const others = await Promise.all(["/debug/pprof/goroutine", "/metrics"].map((p) => get(path, p)));
  expect(others.map(({ status, body }) => [status, body.toString()])).toEqual([
    [404, "Unknown profile\n"],
    [404, "404 page not found\n"],
  ]);
});

/** Works until a profile is complete. */
async function working<T>(during: Promise<T>): Promise<T> {
  let isDone = false;
  const end = during.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    spinForTheProfile();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return end;
}

const kept: unknown[] = [];
function spinForTheProfile(): void {
  // Enough stays that the heap, of which V8 samples one allocation in 512 KiB, has some of it.
  for (let i = 0; i < 20_000; i++)
    kept[i % 10_000] = { text: `number ${i}`, more: Array(500).fill(i) };
}

test("debug socket: a profile of the processor has what ran, and only one is taken at a time", async () => {
  const path = await opened();
  const first = get(path, "/debug/pprof/profile?seconds=1");
  // The second request comes when the first is being served.
  const second = get(path, "/debug/pprof/profile?seconds=1");
  const [one, other] = await working(Promise.all([first, second]));
  const [taken, refused] = one.status === 200 ? [one, other] : [other, one];
  expect([refused.status, refused.body.toString()]).toEqual([
    500,
    "Could not enable profiling: profiling is already in use\n",
  ]);
  const { strings, types, durationNanos } = Profile.decode(gunzipSync(taken.body));
  expect(strings).toContain("spinForTheProfile");
  expect(types.map(({ type, unit }) => [strings[type], strings[unit]])).toEqual([
    ["samples", "count"],
    ["cpu", "nanoseconds"],
  ]);
  expect(durationNanos).toBeGreaterThan(0.9e9);
});

test("debug socket: a profile of the heap has what was allocated", async () => {
  const path = await opened();
  const { body } = await working(get(path, "/debug/pprof/heap?seconds=1"));
  const { strings, samples } = Profile.decode(gunzipSync(body));
  expect(strings).toContain("inuse_space");
  expect(samples.length).toBeGreaterThan(0);
});
