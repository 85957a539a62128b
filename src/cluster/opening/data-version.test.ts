import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startWith, testDir } from "../../../test/support/apiserver.test-support.ts";
import { version } from "../version.ts";
import { checkDataDirectory, dataVersion, stampDataDirectory } from "./data-version.ts";

test("a data directory records the version that wrote it, in a private file", async () => {
  const dir = testDir();
  expect(await checkDataDirectory(dir)).toBeUndefined();
  await stampDataDirectory(dir);
  const path = join(dir, "wherry.json");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ dataVersion, wherry: version });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await checkDataDirectory(dir)).toEqual({ dataVersion, wherry: version });
});

test("data of a newer version is not touched", async () => {
  const dir = testDir();
  const data = join(dir, "data");
  await (await startWith(dir)).close();
  writeFileSync(join(data, "wherry.json"), '{"dataVersion":99,"wherry":"9.0.0"}');
  await expect(startWith(dir)).rejects.toThrow(
    `${data} was written by a newer version of Wherry (9.0.0; this is ${version}) and cannot be read by this one: use that version, or choose another directory with --data-dir`,
  );
  expect(readFileSync(join(data, "wherry.json"), "utf8")).toContain("99");
  expect(existsSync(join(data, "store"))).toBe(true);
});

test("the error names a version file that cannot be read", async () => {
  const dir = testDir();
  writeFileSync(join(dir, "wherry.json"), "what?");
  await expect(checkDataDirectory(dir)).rejects.toThrow("wherry.json cannot be read: restore it");
});
