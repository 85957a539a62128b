import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  configMap,
  newDataDirectory,
  put,
  putText,
  runStore,
  secret,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";
const later = { manager: "kubectl-edit", time: "2026-01-01T00:05:00Z" };
const commits = [
  [put(map, configMap({ a: "1", b: "2" }))],
  [put(`${map}2`, configMap({ other: "object" }))],
  [put(map, configMap({ a: "1", b: "3", c: "4" }, later))],
  [{ type: "delete", key: map } as const],
  [put(map, configMap({}))],
  [{ type: "delete", key: map } as const],
  [put(`${map}2`, configMap({ other: "change" }))],
];

const history = (dir: string, ...args: readonly string[]) =>
  runStore(["history", "--data-dir", dir, ...args]);

describe("wherry store history", () => {
  test("shows each version with its writer, its time and the changed fields", async () => {
    expect(await history(await newDataDirectory(commits), map)).toEqual({
      code: 0,
      stdout: `revision 2: created at 2026-01-01T00:00:00Z by kubectl-create (Update)
revision 4: updated at 2026-01-01T00:05:00Z by kubectl-edit (Update)
  ~ data.b: "2" → "3"
  + data.c: "4"
revision 5: deleted
revision 6: created at 2026-01-01T00:00:00Z by kubectl-create (Update)
revision 7: deleted
`,
      stderr: "",
    });
  });
  test("uses colours on a terminal", async () => {
    vi.stubEnv("NO_COLOR", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const dir = await newDataDirectory(commits.slice(0, 1));
    const { stdout } = await runStore(["history", "--data-dir", dir, map], { columns: 80 });
    expect(stdout).toBe(
      "revision 2: \u001b[32mcreated\u001b[0m at 2026-01-01T00:00:00Z by kubectl-create (Update)\n",
    );
  });
  test("starts with the version that compaction kept", async () => {
    expect((await history(await newDataDirectory(commits, 4), map)).stdout).toBe(
      `revision 4: updated at 2026-01-01T00:05:00Z by kubectl-edit (Update)
  (the version before it is no longer kept)
revision 5: deleted
revision 6: created at 2026-01-01T00:00:00Z by kubectl-create (Update)
revision 7: deleted
`,
    );
    expect((await history(await newDataDirectory(commits, 6), map)).stdout).toBe(
      "revision 6: created at 2026-01-01T00:00:00Z by kubectl-create (Update)\nrevision 7: deleted\n",
    );
  });
  test("a key without history exits with code 1", async () => {
    const refusal = {
      code: 1,
      stdout: "",
      stderr: `Error: there is no key ${map}: list the keys with "wherry store ls"\n`,
    };
    expect(await history(await newDataDirectory(commits, 8), map)).toEqual(refusal);
    expect(await history(await newDataDirectory([]), map)).toEqual(refusal);
  });
  test("changes of secrets show lengths, also if the length is the same", async () => {
    const key = "/registry/secrets/default/s";
    const dir = await newDataDirectory([[put(key, secret("abc"))], [put(key, secret("xyz"))]]);
    expect((await history(dir, key)).stdout).toBe(`revision 2: created
revision 3: updated
  ~ metadata.annotations.kubectl.kubernetes.io/last-applied-configuration: "[redacted, 33 bytes]" → "[redacted, 33 bytes]"
  ~ data.password: "[redacted, 3 bytes]" → "[redacted, 3 bytes]"
`);
    expect((await history(dir, key, "--show-secrets")).stdout).toContain(
      '~ data.password: "YWJj" → "eHl6"',
    );
    for (const output of ["json", "yaml"])
      expect((await history(dir, key, "-o", output)).stdout).not.toMatch(/YWJj|abc/);
  });
  test("values that cannot be decoded are reported as such", async () => {
    const dir = await newDataDirectory([[putText("key", "1")], [putText("key", "2")]]);
    expect((await history(dir, "key")).stdout).toBe(
      "revision 2: created\n  (not decoded: it is not a Kubernetes object)\nrevision 3: updated\n  (not decoded: it is not a Kubernetes object)\n",
    );
  });
  test("-o json prints JSON", async () => {
    const { stdout } = await history(
      await newDataDirectory(commits.slice(0, 4)),
      map,
      "-o",
      "json",
    );
    const writer = (manager: string, time: string) => [{ manager, operation: "Update", time }];
    const first = "2026-01-01T00:00:00Z";
    expect(JSON.parse(stdout)).toEqual([
      {
        revision: 2,
        type: "created",
        version: 1,
        time: first,
        writers: writer("kubectl-create", first),
      },
      {
        revision: 4,
        type: "updated",
        version: 2,
        time: later.time,
        writers: writer("kubectl-edit", later.time),
        changes: [
          { field: "data.b", before: "2", after: "3" },
          { field: "data.c", after: "4" },
        ],
      },
      { revision: 5, type: "deleted", writers: [] },
    ]);
  });
});
