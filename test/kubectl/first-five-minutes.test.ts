import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { newMachine } from "../../src/cluster/up/machine.test-support.ts";
import { busyboxImage, ociArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { mustRun } from "../../src/platform/run-child.ts";
import { requires, testWith } from "../requires.ts";
import { wherryProgram } from "../wherry-program.ts";

testWith(requires("boxes", "kubectl"))(
  "README: the commands of the first five minutes work as they are written",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const commands = firstCommands();
    expect(commands[0]).toBe("wherry up");
    expect((await machine.run("up")).code).toBe(0);
    // There is no registry outside: the image is loaded instead of pulled.
    const archive = await buffer(ociArchive(busyboxImage(), "busybox:1.36"));
    const loaded = await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    expect(loaded.code).toBe(0);
    const bin = join(machine.dir, "bin");
    mkdirSync(bin);
    const program = join(bin, "wherry");
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${wherryProgram()} "$@"\n`);
    chmodSync(program, 0o755);
    const output = await mustRun("sh", ["-exc", commands.join("\n")], {
      env: { ...process.env, ...machine.env, PATH: `${bin}:${process.env.PATH}` },
    });
    expect(output).toContain("pod/web created");
    expect(output).toContain("pod/web condition met\nweb\n");
    expect(output).toMatch(/response:200/);
    expect(output).toMatch(/web +1\/1 +Running/);
    expect(output).toContain('The cluster "wherry" and its data were deleted.');
  },
  120_000,
);

/** The commands of the README that newcomers type first. */
function firstCommands(): readonly string[] {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, text = ""] = /## The first five minutes\n\n```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  return text.split("\n").filter((line) => line !== "");
}
