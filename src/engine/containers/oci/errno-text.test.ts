import { mkdtempSync, readFileSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errnoText } from "./errno-text.ts";

function reasonOf(path: string): string {
  try {
    readFileSync(path);
  } catch (error) {
    return errnoText(error);
  }
  return "read";
}

test("errnoText: has the words of the kernel", () => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-errno-"));
  const link = join(folder, "loop");
  symlinkSync("loop", link);
  try {
    expect(reasonOf(join(folder, "missing"))).toBe("no such file or directory");
    expect(reasonOf(folder)).toBe("is a directory");
    expect(reasonOf(link)).toBe("too many levels of symbolic links");
    expect(errnoText(new Error("plain"))).toBe("Error: plain");
  } finally {
    unlinkSync(link);
    rmdirSync(folder);
  }
});
