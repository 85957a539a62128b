import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SeededRandom } from "../../../base/random.ts";
import { formatIdMappings } from "../../users/id-mappings-file.ts";
import { openUserNamespaces, type UserNamespacesOptions } from "./open-user-namespaces.ts";

const unit = 65_536;
/** As many IDs as three pods need. */
const few = async (): Promise<string> => `0: kubelet ${unit} ${3 * unit}\n`;

async function rootWith(...podUids: readonly string[]): Promise<string> {
  const rootDir = await mkdtemp(join(tmpdir(), "users-"));
  onTestFinished(() => rm(rootDir, { recursive: true, force: true }));
  for (const uid of podUids) await mkdir(join(rootDir, "pods", uid), { recursive: true });
  return rootDir;
}

const open = (rootDir: string, more: Partial<UserNamespacesOptions> = {}) =>
  openUserNamespaces({
    ...{ rootDir, maxPods: 3, random: new SeededRandom(1), subordinate: few, ...more },
  });

test("openUserNamespaces: a pod keeps its IDs, also after a restart, until they are released", async () => {
  const rootDir = await rootWith("a", "b", "c", "d");
  const before = await open(rootDir);
  const given = await Promise.all(["a", "b", "c"].map((uid) => before.of(uid)));
  expect(new Set(given.map(({ uids }) => uids[0]?.hostId))).toEqual(
    new Set([unit, 2 * unit, 3 * unit]),
  );
  expect(given[0]).toEqual({ mode: "pod", uids: given[0]?.gids, gids: given[0]?.uids });
  expect(given[0]?.uids).toMatchObject([{ containerId: 0, length: unit }]);
  const none = "create user namespace: could not find an empty slot to allocate a user namespace";
  await expect(before.of("d")).rejects.toThrow(none);

  const after = await open(rootDir, { random: new SeededRandom(2) });
  expect(await Promise.all(["a", "b", "c"].map((uid) => after.of(uid)))).toEqual(given);
  await expect(after.of("d")).rejects.toThrow(none);
  await after.release("b");
  await after.release("b");
  expect(await after.of("d")).toEqual(given[1]);
  await expect(readFile(join(rootDir, "pods/b/userns"))).rejects.toThrow("ENOENT");
});

test("openUserNamespaces: IDs that cannot be recorded are not given", async () => {
  const rootDir = await rootWith("a");
  const users = await open(rootDir, { maxPods: 1 });
  await expect(users.of("missing")).rejects.toThrow("create user namespace: cannot write");
  await users.of("a");
  await mkdir(join(rootDir, "pods/b"));
  await mkdir(join(rootDir, "pods/c"));
  await users.of("b");
  await users.of("c");
});

test("openUserNamespaces: records that are not right keep a kubelet from starting", async () => {
  const rootDir = await rootWith("a", "b");
  const write = (uid: string, text: string) =>
    writeFile(join(rootDir, "pods", uid, "userns"), text);
  await write("a", formatIdMappings(unit, unit));
  await write("b", formatIdMappings(unit, unit));
  const prefix = "create user namespace manager: record pod mappings for existing pod";
  await expect(open(rootDir)).rejects.toThrow(
    /record pod mappings for existing pod "[ab]": range picked for pod "[ab]" already taken/,
  );
  await write("a", "");
  await open(rootDir);
  await expect(open(rootDir, { idsPerPod: 2 * unit, subordinate: undefined })).rejects.toThrow(
    `${prefix} "b": wrong user namespace length 65536`,
  );
  await write("b", "{");
  await expect(open(rootDir)).rejects.toThrow(
    `${prefix} "b": invalid user namespace mappings file: `,
  );
});

test("openUserNamespaces: what getsubids tells must suffice for all pods", async () => {
  const rootDir = await rootWith();
  await expect(open(rootDir, { maxPods: 4 })).rejects.toThrow(
    "create user namespace manager: kubelet user assigned IDs are not enough to support 4 pods",
  );
  const broken = async () => {
    throw new Error('mismatched subuids and subgids for user "kubelet"');
  };
  await expect(open(rootDir, { subordinate: broken })).rejects.toThrow(
    'create user namespace manager: kubelet mappings: mismatched subuids and subgids for user "kubelet"',
  );
});
