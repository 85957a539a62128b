import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/*
 * Makes files in the root directory of a box from outside. What runs in the box may have put links there, which
 * would lead out of it here: whatever is not what it should be is replaced. Synchronous, as each is some microseconds.
 */

/** Makes a directory below a base, with those above it, and sets its mode. */
export function makeFolder(base: string, path: string, mode = 0o755): void {
  let made = base;
  for (const name of path.split("/").filter((part) => part !== "" && part !== ".")) {
    made = join(made, name);
    const found = lstatSync(made, { throwIfNoEntry: false });
    if (found?.isDirectory()) continue;
    if (found) rmSync(made);
    mkdirSync(made);
    // Whatever the umask is.
    chmodSync(made, 0o755);
  }
  if ((lstatSync(made).mode & 0o7777) !== mode) chmodSync(made, mode);
}

/** Makes a link below a base. */
export function makeLink(base: string, path: string, target: string): void {
  const full = inFolder(base, path);
  const found = lstatSync(full, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && readlinkSync(full) === target) return;
  if (found) rmSync(full, { recursive: true });
  symlinkSync(target, full);
}

/** Makes a file below a base. */
export function makeFile(base: string, path: string, text: string): void {
  const full = inFolder(base, path);
  rmSync(full, { recursive: true, force: true });
  writeFileSync(full, text, { flag: "wx" });
  chmodSync(full, 0o644);
}

function inFolder(base: string, path: string): string {
  makeFolder(base, dirname(path));
  return join(base, path);
}
