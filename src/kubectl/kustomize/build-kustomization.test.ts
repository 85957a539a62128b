import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../../test/project.ts";
import { buildKustomization } from "./build-kustomization.ts";
import { KustomizeError } from "./kustomize-error.ts";
import { localFiles } from "./loading/local-files.ts";
import { localRemotes } from "./loading/local-remotes.ts";

const facts = join(projectRoot, "test/facts/kustomize");
const names = readdirSync(facts);

test("buildKustomization: the recorded kustomizations are there", () => {
  expect(names.length).toBeGreaterThanOrEqual(150);
});

test.each(names)("buildKustomization: %s comes out as recorded", async (name) => {
  const directory = join(facts, name);
  const recorded = (file: string): string => {
    const path = join(directory, file);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  const error = recorded("expected-error.txt").replace(/^(?:# Warning: .*\n)*/, "");
  const expected =
    error === ""
      ? { yaml: recorded("expected.yaml"), warnings: recorded("expected-warnings.txt") }
      : { error };
  expect(await outcome(directory)).toEqual(expected);
});

async function outcome(directory: string) {
  try {
    const request = { path: directory, files: localFiles(), remotes: localRemotes };
    const { yaml, warnings } = await buildKustomization(request);
    return { yaml, warnings: warnings.map((line) => `${line}\n`).join("") };
  } catch (error) {
    if (!(error instanceof KustomizeError)) throw error;
    return { error: `error: ${error.message}\n`.replaceAll(directory, "{dir}") };
  }
}
