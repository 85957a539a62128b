import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  configMap,
  newDataDirectory,
  type Outcome,
  put,
  putText,
  runStore,
  secret,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";
const first = put(map, configMap({ a: "1" }));
const second = put(map, configMap({ a: "22" }));
const commits = [
  [first],
  [putText("other", "x")],
  [second],
  [{ type: "delete", key: map } as const],
];

/** The output of a watch that is interrupted after `lines` lines. */
function watched(args: readonly string[], lines: number, columns?: number): Promise<Outcome> {
  const stop = new AbortController();
  return runStore(["watch", ...args], {
    signal: stop.signal,
    ...(columns !== undefined && { columns }),
    onOutput: (text) => {
      if (text.split("\n").length > lines) stop.abort();
    },
  });
}

describe("wherry store watch", () => {
  test("prints one line for each change, until it is interrupted", async () => {
    const dir = await newDataDirectory(commits);
    expect(await watched(["--data-dir", dir, "--from", "1"], 4)).toEqual({
      code: 0,
      stdout: `2\tcreated\t1\t${first.value.length}\t${map}
3\tcreated\t1\t1\tother
4\tupdated\t2\t${second.value.length}\t${map}
5\tdeleted\t-\t-\t${map}
`,
      stderr: "",
    });
  });
  test("prints only changes of keys with the prefix, after a revision", async () => {
    const dir = await newDataDirectory(commits);
    const { stdout } = await watched(["--data-dir", dir, "/registry/", "--from", "2"], 2);
    expect(stdout).toBe(
      `4\tupdated\t2\t${second.value.length}\t${map}\n5\tdeleted\t-\t-\t${map}\n`,
    );
  });
  test("prints columns and colours on a terminal", async () => {
    vi.stubEnv("NO_COLOR", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const dir = await newDataDirectory([[putText("key", "x")]]);
    const { stdout } = await watched(["--data-dir", dir, "--from", "1"], 1, 80);
    expect(stdout).toBe("2        \u001b[32mcreated \u001b[0m 1        1        key\n");
  });
  test("--changes prints the changed fields", async () => {
    const dir = await newDataDirectory(commits);
    const { stdout } = await watched(["--data-dir", dir, "--from", "3", "--changes"], 3);
    expect(stdout).toBe(
      `4\tupdated\t2\t${second.value.length}\t${map}\n  ~ data.a: "1" → "22"\n5\tdeleted\t-\t-\t${map}\n`,
    );
  });
  test("-o json and -o yaml print objects, a deleted one as it was, with secrets redacted", async () => {
    const key = "/registry/secrets/default/s";
    const dir = await newDataDirectory([
      [put(key, secret("hunter2"))],
      [{ type: "delete", key }],
      [putText("key", "x")],
    ]);
    const { stdout } = await watched(["--data-dir", dir, "--from", "1", "-o", "json"], 3);
    const [created, deleted, opaque] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(created).toMatchObject({ revision: 2, type: "created", key, version: 1 });
    expect(created.object.data).toEqual({ password: "[redacted, 7 bytes]" });
    expect(deleted).toEqual({ revision: 3, type: "deleted", key, object: created.object });
    expect(opaque).toEqual({
      revision: 4,
      type: "created",
      key: "key",
      version: 1,
      opaque: "it is not a Kubernetes object",
    });
    const yaml = await watched(["--data-dir", dir, "--from", "2", "-o", "yaml"], 14);
    expect(yaml.stdout).toBe(`---
# revision 3: deleted ${key}
apiVersion: v1
data:
  password: '[redacted, 7 bytes]'
kind: Secret
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '[redacted, 37 bytes]'
    note: mine
  name: s
  namespace: default
type: Opaque
---
# revision 4: created key
# not decoded: it is not a Kubernetes object
`);
  });
  test("a compacted revision exits with code 1", async () => {
    const dir = await newDataDirectory(commits, 4);
    expect(await runStore(["watch", "--data-dir", dir, "--from", "2"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "Error: revision 2 has been compacted; the oldest kept is 4\n",
    });
  });
});
