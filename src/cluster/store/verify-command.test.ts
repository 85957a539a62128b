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

test("wherry store verify: tells what was checked", async () => {
  const dir = await newDataDirectory([[put(map, configMap({}))], [putText("other", "x")]]);
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 0,
    stdout: `checked 2 records on disk: checksums, order and counts
checked 2 keys at revision 3: their order and their counts
checked 1 object: read, and named as its key
checked 1 value as bytes only: it is no Kubernetes object
checked 2 commits after revision 1: they lead to what is there
no violation was found
`,
    stderr: "",
  });
});

test("wherry store verify: the first violation is exit code 1", async () => {
  const dir = await newDataDirectory([[put(`${map}2`, configMap({}))]]);
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 1,
    stdout: `checked 1 record on disk: checksums, order and counts
violation: ${map}2 holds an object of another name: ConfigMap default/m\n`,
    stderr: "",
  });
});

test("wherry store verify: keys with a time to live are counted", async () => {
  const dir = await newDataDirectory([[{ ...put(map, configMap({})), ttlMs: 3_600_000 }]]);
  expect((await runStore(["verify", "--data-dir", dir])).stdout).toMatch(
    /^checked 1 record on disk: checksums, order and counts; 1 key with a time to live\n/,
  );
});

test("wherry store verify: so is damage on disk", async () => {
  const dir = await newDataDirectory([[put(map, configMap({}))]]);
  rmSync(join(dir, "store", "data.mdb"));
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 1,
    stdout: `violation: ${dir}/store held a store, but its data.mdb is missing: restore a backup\n`,
    stderr: "",
  });
});

test("wherry store verify: what is no store is no violation, but an error", async () => {
  const dir = newFolder();
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Error: ${dir} is no data directory of Wherry: there is no store in it\n`,
  });
});

test("wherry store verify: a bit that changed is found", async () => {
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
