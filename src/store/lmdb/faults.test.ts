import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import { startWritingProcess } from "./writing-process.test-support.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-faults-"));
const nobody = 65_534;
let directories = 0;

await chmod(root, 0o755);
afterAll(() => rm(root, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const reason = "only root can run a process as somebody else";

test("LmdbStore: a directory that cannot be created is reported, and created once permitted", async ({
  skip,
}) => {
  skip(!isRoot, reason);
  const parent = join(root, `${directories++}`);
  await mkdir(parent);
  await chmod(parent, 0o755);
  const path = join(parent, "store");
  const refused = await opened(path);
  await chown(parent, nobody, nobody);
  expect([refused, await opened(path)]).toEqual([
    expect.stringMatching(
      /^Unavailable: .* cannot be opened: EACCES: permission denied, .*: make it writable for who runs this$/,
    ),
    "open",
  ]);
});

test("LmdbStore: read-only files are reported, and used once they are writable", async ({
  skip,
}) => {
  skip(!isRoot, reason);
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  await store.close();
  const names = ["", "data.mdb", "lock.mdb", "owner"];
  for (const name of names) await chmod(join(path, name), name === "" ? 0o755 : 0o644);
  const refused = await opened(path);
  for (const name of names) await chown(join(path, name), nobody, nobody);
  expect([refused, await opened(path)]).toEqual([
    expect.stringMatching(
      /^Unavailable: .* cannot be opened: EPERM: operation not permitted, .*: make it writable for who runs this$/,
    ),
    "open",
  ]);
});

/** The result of opening it as another user. */
async function opened(path: string): Promise<string> {
  const writer = await startWritingProcess(path, { uid: nobody });
  await writer.kill();
  return writer.opened;
}
