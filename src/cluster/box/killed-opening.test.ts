import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { runScript } from "../../../test/project.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { findProgram } from "../../engine/programs.ts";
import { boxesFolder, noTraces, testBox, tracesOf } from "./box.test-support.ts";
import { removeBox } from "./close-box.ts";
import { openBox } from "./open-box.ts";

/** The programs that the script runs before it leaves the machine's root directory. */
const programs = ["unshare", "mount", "ip", "nsenter", "pivot_root"];
/** How many times it runs one of them. */
const steps = 10;

interface Stepping {
  readonly path: string;
  waits(node: string): boolean;
  letGo(node: string): void;
}

/**
 * Puts programs on a PATH that wait before a step until they are let go: in the box of `node-N` before step N.
 */
async function stepping(): Promise<Stepping> {
  const folder = mkdtempSync(join(tmpdir(), "wherry-steps-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of programs)
    writeFileSync(
      join(folder, name),
      `#!/bin/sh
node=\${WHERRY_BOX##*/}
echo ${name} >> '${folder}/'"$node"
if [ "node-$(wc -l < '${folder}/'"$node")" = "$node" ]; then
  : > '${folder}/'"$node.waits"
  while [ ! -e '${folder}/'"$node.goes" ]; do sleep 0.02; done
fi
exec ${await findProgram(name)} "$@"
`,
      { mode: 0o755 },
    );
  return {
    waits: (node) => existsSync(join(folder, `${node}.waits`)),
    path: `${folder}:${process.env.PATH}`,
    letGo: (node) => writeFileSync(join(folder, `${node}.goes`), ""),
  };
}

testWith(requires("containers", "boxes"))(
  "a process that is killed at any step of opening a box leaves nothing that is not removed",
  async () => {
    const parent = boxesFolder();
    const { path, waits, letGo } = await stepping();
    // The last one has no step to wait at.
    const numbers = Array.from({ length: steps + 1 }, (_, at) => at + 1);
    const options = numbers.map((number) => testBox(parent, number));
    const program = join(import.meta.dirname, "killed-opening.test-support.ts");
    const opener = spawn(process.execPath, [runScript, program, JSON.stringify(options)], {
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let opened = "";
    opener.stdout.on("data", (bytes: Buffer) => {
      opened += bytes;
    });
    onTestFinished(() => void opener.kill("SIGKILL"));
    const complete = options.at(-1) ?? testBox(parent, 0);
    await eventually(() => {
      const waiting = options.filter(({ node }) => waits(node));
      expect(waiting.map(({ node }) => node)).toEqual(options.slice(0, -1).map(({ node }) => node));
      expect(opened).toBe(`${complete.node}\n`);
    });
    opener.kill("SIGKILL");
    await once(opener, "exit");

    // Those that go on undo by themselves what they did; the others are ended.
    for (const [at, { node, folder }] of options.slice(0, -1).entries()) {
      if (at % 2 === 0) {
        letGo(node);
        await eventually(async () =>
          expect(await tracesOf(folder)).toMatchObject({ links: [], routes: [], processes: [] }),
        );
      }
      await removeBox(folder);
      expect([node, await tracesOf(folder), existsSync(folder)]).toEqual([node, noTraces, false]);
    }
    // What was complete runs on.
    const box = await openBox(complete);
    expect(box.isTakenOver).toBe(true);
    expect((await box.run("hostname", [])).stdout.trim()).toBe(basename(complete.folder));
  },
);
