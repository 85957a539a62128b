import { mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";
import type { ClusterRanges } from "./choose-ranges.ts";

/** Ranges that no other cluster of this machine chooses until they are released. */
export interface ReservedRanges {
  readonly ranges: ClusterRanges;
  release(): Promise<void>;
}

/**
 * Chooses ranges for a cluster, and reserves them until its interfaces and routes show that they are used. Without
 * this, clusters that start at the same time would choose the same. A reservation is a link from a range to the
 * process; it ends with it. What the machine uses is to be read in `choose`: a reservation may have ended just
 * before, because its ranges are used now.
 */
export async function reserveRanges(
  choose: (reserved: readonly string[]) => Promise<ClusterRanges | undefined>,
  folder = "/run/wherry-ranges",
): Promise<ReservedRanges | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (;;) {
    const ranges = await choose(await reservedRanges(folder));
    if (!ranges) return undefined;
    const links: string[] = [];
    const release = async (): Promise<void> => {
      await Promise.all(links.map((link) => rm(link, { force: true })));
    };
    const names = namesOf(ranges).map((name) => join(folder, name));
    for (const link of names) if (await isCreated(link)) links.push(link);
    if (links.length === names.length) return { ranges, release };
    await release();
  }
}

/** A range of nodes says which one of pods it goes with: both come from one list. That of services does not. */
const namesOf = ({ nodes, pods, services }: ClusterRanges): readonly string[] =>
  [`${nodes}+${pods}`, ...(services === undefined ? [] : [services])].map((name) =>
    name.replaceAll("/", "_"),
  );

async function reservedRanges(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  const reserved = names.map(async (name): Promise<readonly string[]> => {
    const link = join(folder, name);
    const owner = await ownerOf(link);
    if (owner && isRunning(owner)) return name.replaceAll("_", "/").split("+");
    await rm(link, { force: true });
    return [];
  });
  return (await Promise.all(reserved)).flat();
}

async function isCreated(link: string): Promise<boolean> {
  const { pid, startedAt } = identifyProcess(process.pid) ?? { pid: process.pid, startedAt: "" };
  try {
    await symlink(`${pid} ${startedAt}`, link);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function ownerOf(link: string): Promise<ProcessIdentity | undefined> {
  const text = await readlink(link).catch(() => "");
  const space = text.indexOf(" ");
  return space < 0
    ? undefined
    : { pid: Number(text.slice(0, space)), startedAt: text.slice(space + 1) };
}
