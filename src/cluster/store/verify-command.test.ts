import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  configMap,
  newDataDirectory,
  newFolder,
  put,
  putText,
  runStore,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";

test("wherry store verify: lists the checks", async () => {
  const dir = await newDataDirectory([[put(map, configMap({}))], [putText("other", "x")]]);
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 0,
    stdout: `checked 2 records on disk: checksums, order and counts
checked 2 keys at revision 3: order and counts
checked 1 object: decoded, and named like its key
checked 1 value as bytes only: it is not a Kubernetes object
checked 2 commits after revision 1: consistent with the current keys
no violation found
`,
    stderr: "",
  });
});

test("wherry store verify: the first violation exits with code 1", async () => {
  const dir = await newDataDirectory([[put(`${map}2`, configMap({}))]]);
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 1,
    stdout: `checked 1 record on disk: checksums, order and counts
violation: ${map}2 holds an object with another name: ConfigMap default/m\n`,
    stderr: "",
  });
});

test("wherry store verify: keys with a time to live are counted", async () => {
  const dir = await newDataDirectory([[{ ...put(map, configMap({})), ttlMs: 3_600_000 }]]);
  expect((await runStore(["verify", "--data-dir", dir])).stdout).toMatch(
    /^checked 1 record on disk: checksums, order and counts; 1 key with a time to live\n/,
  );
});

test("wherry store verify: damage on disk exits with code 1", async () => {
  const dir = await newDataDirectory([[put(map, configMap({}))]]);
  rmSync(join(dir, "store", "data.mdb"));
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 1,
    stdout: `violation: ${dir}/store held a store, but its data.mdb is missing: restore a backup\n`,
    stderr: "",
  });
});

test("wherry store verify: a directory without a store is an error, not a violation", async () => {
  const dir = newFolder();
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Error: ${dir} is not a data directory of Wherry: it contains no store\n`,
  });
});

test("wherry store verify: finds a changed bit", async () => {
  const dir = await newDataDirectory([[putText("key", "unmistakable")]]);
  const file = join(dir, "store", "data.mdb");
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf("unmistakable"); at >= 0; at = bytes.indexOf("unmistakable", at + 1))
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 1,
    stdout: "violation: the record 0000000000020000 is damaged\n",
    stderr: "",
  });
});
