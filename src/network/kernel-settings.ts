import { readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { replacePrivateFile } from "../platform/files.ts";

/** Values of the kernel's settings by their files. */
export type KernelSettings = ReadonlyMap<string, string>;

/** The value of a setting; undefined if the kernel does not have it. */
export function kernelSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Changes settings of the kernel. What they were is recorded in a file first, if one is named. */
export async function changeSettings(
  wanted: KernelSettings,
  record: string | undefined,
): Promise<void> {
  const changes = [...wanted].filter(([path, value]) => kernelSetting(path) !== value);
  if (changes.length === 0) return;
  if (record !== undefined) await recordChanges(changes, record);
  for (const [path, value] of changes) await writeFile(path, value);
}

async function recordChanges(
  changes: readonly (readonly [path: string, value: string])[],
  record: string,
): Promise<void> {
  const recorded = await readRecord(record);
  for (const [path, after] of changes) {
    // What an earlier process has found is older.
    const before = recorded[path]?.before ?? kernelSetting(path);
    if (before !== undefined) recorded[path] = { before, after };
  }
  await replacePrivateFile(record, `${JSON.stringify(recorded, null, 2)}\n`);
}

/** Restores the settings that `changeSettings` has changed, as far as nobody else has since. */
export async function restoreSettings(record: string): Promise<void> {
  for (const [path, { before, after }] of Object.entries(await readRecord(record)))
    if (kernelSetting(path) === after) await writeFile(path, before);
  await rm(record, { force: true });
}

type Recorded = Record<string, { readonly before: string; readonly after: string }>;

const readRecord = async (record: string): Promise<Recorded> =>
  JSON.parse(await readFile(record, "utf8").catch(() => "{}")) as Recorded;
