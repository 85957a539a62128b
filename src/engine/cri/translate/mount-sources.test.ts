import { mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveMountSources } from "./mount-sources.ts";

test("resolveMountSources: makes missing folders and follows links", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "wherry-sources-")));
  try {
    symlinkSync("made/deep", join(folder, "link"));
    writeFileSync(join(folder, "file"), "");
    const mount = (hostPath: string): { containerPath: string; hostPath: string } => ({
      containerPath: "/c",
      hostPath: join(folder, hostPath),
    });
    expect(await resolveMountSources([mount("made/deep")])).toEqual([mount("made/deep")]);
    expect(statSync(join(folder, "made/deep")).isDirectory()).toBe(true);
    expect(await resolveMountSources([mount("link"), mount("file")])).toEqual([
      mount("made/deep"),
      mount("file"),
    ]);
    await expect(resolveMountSources([mount("file/below")])).rejects.toThrow(
      `failed to stat "${folder}/file/below": stat ${folder}/file/below: not a directory`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
