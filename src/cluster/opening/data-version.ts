import { join } from "node:path";
import { writePrivateFile } from "../../platform/files.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import { version } from "../version.ts";

/** The layout of data directories that this version reads and writes; newer layouts have higher numbers. */
export const dataVersion = 1;

const fileName = "wherry.json";

interface Stamp {
  readonly dataVersion: number;
  /** The version of Wherry that last wrote it. */
  readonly wherry: string;
}

/** Records our version in a data directory; rejects one that a newer version wrote. */
export async function stampDataDirectory(dir: string): Promise<void> {
  const found = await checkDataDirectory(dir);
  if (found?.dataVersion === dataVersion && found.wherry === version) return;
  const stamp: Stamp = { dataVersion, wherry: version };
  await writePrivateFile(join(dir, fileName), `${JSON.stringify(stamp)}\n`);
}

/** Reads the version of a data directory; throws if it is newer than ours or cannot be read. */
export async function checkDataDirectory(dir: string): Promise<Stamp | undefined> {
  const path = join(dir, fileName);
  const text = await readIfPresent(path);
  if (text === undefined) return undefined;
  const stamp = readStamp(text);
  if (!stamp)
    throw new Error(
      `${path} cannot be read: restore it from a backup, or choose another directory with --data-dir`,
    );
  if (stamp.dataVersion > dataVersion)
    throw new Error(
      `${dir} was written by a newer version of Wherry (${stamp.wherry}; this is ${version}) and cannot be read by this one: use that version, or choose another directory with --data-dir`,
    );
  return stamp;
}

function readStamp(text: string): Stamp | undefined {
  try {
    const { dataVersion, wherry } = JSON.parse(text) as Partial<Stamp>;
    return typeof dataVersion === "number" ? { dataVersion, wherry: String(wherry) } : undefined;
  } catch {
    return undefined;
  }
}
