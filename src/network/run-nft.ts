import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilParentEnds } from "../platform/bound-to-parent.ts";
import { mustRun, runChild } from "../platform/run-child.ts";

/**
 * Applies an input of nft as one transaction, in the network namespace of this process or, with a prefix, in another
 * one. When this process is killed, either all of it is applied, or nothing.
 */
export async function runNft(input: string, prefix: readonly string[] = []): Promise<void> {
  const [program = "", ...args] = [...prefix, ...(await binding()), "nft", "-f", "-"];
  const file = await writtenFile(input);
  try {
    await mustRun(program, args, { stdin: file.fd });
  } finally {
    await file.close();
  }
}

/**
 * A file without a name. By a pipe, a process that is killed while it writes would leave nft with the first lines, which
 * it would apply.
 */
async function writtenFile(input: string): Promise<FileHandle> {
  const path = join(tmpdir(), `wherry-nft-${randomUUID()}`);
  try {
    await writeFile(path, input, { flag: "wx", mode: 0o600 });
    return await open(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** What runs a program until its parent ends: nft must not apply its input after that of the process' successor. */
function binding(): Promise<readonly string[]> {
  bound ??= runChild("setpriv", ["--pdeathsig", "KILL", "true"]).then(
    ({ code }) => (code === 0 ? untilParentEnds() : []),
    () => [],
  );
  return bound;
}

let bound: Promise<readonly string[]> | undefined;
