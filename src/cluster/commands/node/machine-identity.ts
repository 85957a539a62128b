import { readFile } from "node:fs/promises";
import type { NodeFindings } from "../../../kubelet/node/node-findings.ts";

export interface IdentityFiles {
  /** Files separated by commas, of which the first that can be read counts; undefined for the usual ones. */
  readonly machineIds?: string | undefined;
  readonly bootIds?: string | undefined;
}

/** Reads the IDs of the machine from the files that flags name; IDs of files that are not named stay as they are found. */
export async function machineIdentity({
  machineIds,
  bootIds,
}: IdentityFiles): Promise<NonNullable<NodeFindings["info"]>> {
  return {
    ...(machineIds !== undefined && { machineID: await firstOf(machineIds) }),
    ...(bootIds !== undefined && { bootID: await firstOf(bootIds) }),
  };
}

async function firstOf(paths: string): Promise<string> {
  for (const path of paths.split(",")) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== undefined) return text.trim();
  }
  return "";
}
