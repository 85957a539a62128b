import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assetScripts } from "./asset-scripts.ts";
import { findKubectl } from "./find-kubectl.ts";

test("findKubectl: the first program of the PATH that is not one of ours", async () => {
  const root = mkdtempSync(join(tmpdir(), "wherry-path-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const ours = assetScripts({ wherry: ["wherry"], kubectl: undefined }).get("kubectl") ?? "";
  const folders = Object.entries({
    none: undefined,
    ours: { text: ours, mode: 0o755 },
    data: { text: "#!/bin/sh\n", mode: 0o644 },
    real: { text: "#!/bin/sh\n", mode: 0o755 },
    second: { text: "#!/bin/sh\n", mode: 0o755 },
  }).map(([name, file]) => {
    const folder = join(root, name);
    mkdirSync(folder);
    if (file) writeFileSync(join(folder, "kubectl"), file.text, { mode: file.mode });
    return folder;
  });
  expect(await findKubectl(["", ...folders].join(delimiter))).toBe(join(root, "real", "kubectl"));
  expect(await findKubectl(folders.slice(0, 3).join(delimiter))).toBeUndefined();
});
