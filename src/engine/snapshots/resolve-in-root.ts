import { readlink } from "node:fs/promises";
import { join } from "node:path";
import { type FollowOptions, linkSteps } from "./path-in-root.ts";

/**
 * The path on the host of a path in a root folder. Symbolic links are followed as a process would whose root it is:
 * none leads out of it. Parts that do not exist are kept.
 */
export async function resolveInRoot(
  root: string,
  path: string,
  options: FollowOptions = { followsLast: true },
): Promise<string> {
  const steps = linkSteps(path, options);
  let step = steps.next();
  while (!step.done) step = steps.next(await linkAt(join(root, step.value)));
  return join(root, step.value);
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
