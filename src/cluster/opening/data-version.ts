import { join } from "node:path";
import { writePrivateFile } from "../../platform/files.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import { version } from "../version.ts";

/** How data directories are laid out that this version reads and writes; a higher number is a newer layout. */
export const dataVersion = 1;

const fileName = "wherry.json";

interface Stamp {
  readonly dataVersion: number;
  /** The version of Wherry that wrote it last. */
  readonly wherry: string;
}

/** Says in a data directory which version writes it; refuses one that a newer version has written. */
export async function stampDataDirectory(dir: string): Promise<void> {
  const found = await checkDataDirectory(dir);
  if (found?.dataVersion === dataVersion && found.wherry === version) return;
  const stamp: Stamp = { dataVersion, wherry: version };
  await writePrivateFile(join(dir, fileName), `${JSON.stringify(stamp)}\n`);
}

/** What is known of a data directory; throws where a newer version has written it, or it cannot be read. */
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
      `${dir} was written by a newer version of Wherry (${stamp.wherry}; this is ${version}), and cannot be read by this one: use that version, or choose another directory with --data-dir`,
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
