import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../../test/project.ts";
import { debugMessages } from "./debug-messages.ts";

test("debugMessages: are those of the sources", async () => {
  const root = join(projectRoot, "src");
  const paths = (await readdir(root, { recursive: true })).filter(
    (path) => path.endsWith(".ts") && !/\.(test|test-support|generated)\.ts$/.test(path),
  );
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    const text = await readFile(join(root, path), "utf8");
    const messages = Array.from(
      text.matchAll(/\blog\.debug\(\s*"([^"]*)"/g),
      ([, one = ""]) => one,
    );
    if (messages.length > 0) found[path.slice(0, -".ts".length)] = [...new Set(messages)].sort();
  }
  expect(debugMessages).toEqual(found);
});
