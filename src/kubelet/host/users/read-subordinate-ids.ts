import { readFile } from "node:fs/promises";
import { runChild } from "../../../platform/run-child.ts";

/**
 * What getsubids tells of the IDs that belong to the user `kubelet`; undefined if there is no such user, or no
 * getsubids. Where both are there and nothing is told, a remote service may not respond: that is an error, because
 * the IDs may be those of others.
 */
export async function readSubordinateIds(): Promise<string | undefined> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  if (!passwd.split("\n").some((line) => line.startsWith(`${user}:`))) return undefined;
  const uids = await subordinate([user]);
  if (uids === undefined) return undefined;
  if (uids.code !== 0)
    throw new Error(
      `error retrieving additional uids for user "${user}": exit status ${uids.code}`,
    );
  const gids = await subordinate(["-g", user]);
  if (gids?.code !== 0) throw new Error(`error retrieving additional gids for user "${user}"`);
  if (uids.stdout !== gids.stdout)
    throw new Error(`mismatched subuids and subgids for user "${user}"`);
  return uids.stdout;
}

const user = "kubelet";

/** Undefined if there is no such program. */
async function subordinate(
  args: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string } | undefined> {
  try {
    return await runChild("getsubids", args);
  } catch (error) {
    const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw error;
  }
}
