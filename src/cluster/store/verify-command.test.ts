import { expect, test } from "vitest";
import {
  configMap,
  newDataDirectory,
  put,
  putText,
  runStore,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";

test("wherry store verify: tells what was checked", async () => {
  const dir = await newDataDirectory([[put(map, configMap({}))], [putText("other", "x")]]);
  expect(await runStore(["verify", "--data-dir", dir])).toEqual({
    code: 0,
    stdout: `checked 2 keys at revision 3: their order and their counts
checked 1 object: read, and named as its key; 1 value is none, or encrypted
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
    stdout: `violation: ${map}2 holds an object of another name: ConfigMap default/m\n`,
    stderr: "",
  });
});
