import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hover } from "./language-server.test-support.ts";
import { type PackedProject, packedProject, root } from "./packed.test-support.ts";

let project: PackedProject;
beforeAll(() => {
  project = packedProject(["test/packed-project"]);
}, 60_000);
afterAll(() => project?.remove());

/** Runs a program of Node in the project; resolves with what it printed if it failed. */
function failure(script: string, ...args: readonly string[]): string {
  const options = { cwd: project.folder, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], options);
  return status === 0 ? "" : `exit ${status}\n${stdout}\n${stderr}`;
}

test("the packed package: what is right compiles under strict, and what is wrong does not", () => {
  expect(failure(join(root, "node_modules", "typescript", "lib", "tsc.js"), "-p", ".")).toBe("");
});

test("the packed package: an editor shows our description of a field", async () => {
  const shown = await hover(project.folder, "types.ts", "web.spec.template.spec.containers");
  expect(shown).toContain("PodSpec.containers: readonly Container[]");
  expect(shown).toContain("The containers of the pod; at least one.");
});
