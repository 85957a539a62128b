import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const root = join(import.meta.dirname, "..");

/** A project of a user: its own files, and the package as it would be published. */
export interface PackedProject {
  readonly folder: string;
  remove(): void;
}

/**
 * Packs the package and puts it into a project of its own, with the files of `sources`. What the
 * package depends on, and the programs that users have, are linked from here: nothing is fetched.
 */
export function packedProject(sources: readonly string[]): PackedProject {
  const folder = mkdtempSync(join(tmpdir(), "wherry-packed-"));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  execFileSync(process.execPath, [join(root, "scripts", "build", "build.mjs")], {
    // What goes wrong is part of the error that is thrown.
    stdio: ["ignore", "ignore", "pipe"],
  });
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: root,
  });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["-xzf", archive], { cwd: folder });
  renameSync(join(folder, "package"), join(modules, "wherry"));
  for (const name of linked) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  for (const source of sources) cpSync(join(root, source), folder, { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const linked = [
  ...["js-yaml", "lmdb", "@lydell"],
  ...["@types/node", "esbuild", "jest", "typescript", "vitest"],
];
