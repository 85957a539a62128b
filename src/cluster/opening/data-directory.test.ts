import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { newDirectory, startProcess } from "../../../test/support/server-process.test-support.ts";
import { start } from "../commands/apiserver/apiserver.ts";

const directory = newDirectory();
const { data } = directory;
afterAll(() => directory.remove());

/** The modes of all files in the data directory, by path. */
function modes(): Record<string, string> {
  const paths = [".", ...readdirSync(data, { recursive: true, encoding: "utf8" })].sort();
  return Object.fromEntries(
    paths.map((path) => [path, (statSync(join(data, path)).mode & 0o777).toString(8)]),
  );
}

/** Only public files may be read by others. */
const wanted = (path: string): string => {
  if (path === "pki/sa.pub") return "644";
  return statSync(join(data, path)).isDirectory() ? "700" : "600";
};

test("only the owner can access the data directory, whatever the umask is", async () => {
  const old = process.umask(0);
  try {
    const server = await startProcess(data);
    const seen = modes();
    expect(Object.keys(seen).length).toBeGreaterThan(10);
    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((path) => [path, wanted(path)])));
    expect(await server.end()).toBe(0);
  } finally {
    process.umask(old);
  }
});

test("folders that others can enter are made private at the next start", async () => {
  for (const folder of [".", "pki", "store"]) chmodSync(join(data, folder), 0o755);
  const server = await start({ dir: data, host: "127.0.0.1", port: 0 });
  const { ".": top, pki, store } = modes();
  await server.close();
  expect({ top, pki, store }).toEqual({ top: "700", pki: "700", store: "700" });
});

test.each(["ca.key", "sa.key", "admin.key", "apiserver.key"])(
  "rejects a key that others can read: pki/%s",
  async (name) => {
    const path = join(data, "pki", name);
    chmodSync(path, 0o644);
    await expect(start({ dir: data, host: "127.0.0.1", port: 0 })).rejects.toThrow(
      `${path} may be read by others (mode 0644): make it private with "chmod go= ${path}"`,
    );
    chmodSync(path, 0o600);
  },
);
