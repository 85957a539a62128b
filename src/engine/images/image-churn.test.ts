import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished } from "vitest";
import { runScript } from "../../../test/project.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { SeededRandom } from "../../base/random.ts";
import { openSnapshots } from "../snapshots/open-snapshots.ts";
import { openImages } from "./images.ts";

const program = join(import.meta.dirname, "image-churn.test-support.ts");
const kills = 5;

/** Runs the program and kills it after so many lines; the lines that it printed. */
async function killedAfter(folder: string, first: number, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [runScript, program, folder, String(first)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) child.kill("SIGKILL");
  }
  return printed;
}

/** Applies what was done to a set of images; returns those that the kill may have hit before or after. */
function follow(lines: readonly string[], images: Set<string>): ReadonlySet<string> {
  const unsure = new Set<string>();
  for (const line of lines) {
    const [verb, number = ""] = line.split(" ");
    if (verb === "loading" || verb === "removing") unsure.add(number);
    if (verb === "loaded") images.add(number);
    if (verb === "removed") images.delete(number);
    if (verb === "loaded" || verb === "removed") unsure.delete(number);
  }
  return unsure;
}

testWith(requires("containers"))("images survive kills at any point", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wherry-churn-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const random = new SeededRandom(19);
  const expected = new Set<string>();
  for (let kill = 0; kill < kills; kill++) {
    const first = kill * 1000;
    const printed = await killedAfter(folder, first, 1 + Math.floor(random.next() * 80));
    const unsure = follow(printed, expected);
    const snapshots = await openSnapshots({ root: join(folder, "snapshots") });
    const images = await openImages({ root: join(folder, "images"), snapshots });
    const found = new Set(
      images.store.list().flatMap(({ tags }) => tags.map((tag) => tag.replace(/.*:/, ""))),
    );
    for (const number of unsure)
      if (found.has(number)) expected.add(number);
      else expected.delete(number);
    expect(found).toEqual(expected);
    expect((await images.verify()).problems).toEqual([]);
    await images.prune();
    expect(readdirSync(join(folder, "images", "ingest"))).toEqual([]);
    const layers = new Set(images.store.list().flatMap((image) => image.layers));
    expect(new Set(await snapshots.listLayers())).toEqual(layers);
    await images.close();
    await snapshots.close();
  }
  expect(expected.size).toBeGreaterThan(0);
});
