import { openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testDir } from "../../../test/support/apiserver.test-support.ts";
import { boundLog, type LogStream } from "./bounded-log.ts";

test("boundLog: a file that is too large is moved aside, and streams continue at the new end", () => {
  const path = join(testDir(), "log");
  writeFileSync(path, "zero\n");
  const file = openSync(path, "a");
  const streams: LogStream[] = [0, 1].map(() => ({
    write: (chunk) => writeSync(file, String(chunk)) > 0,
  }));
  boundLog(streams, { path, maxBytes: 14 });
  const [out, errors] = streams;
  out?.write("one\n");
  errors?.write("two\n");
  expect(readFileSync(path, "utf8")).toBe("zero\none\ntwo\n");
  out?.write("three\n");
  errors?.write("four\n");
  expect(readFileSync(path, "utf8")).toBe("three\nfour\n");
  expect(readFileSync(`${path}.1`, "utf8")).toBe("zero\none\ntwo\n");
  out?.write("five\n");
  expect(readFileSync(path, "utf8")).toBe("five\n");
  expect(readFileSync(`${path}.1`, "utf8")).toBe("three\nfour\n");
});
