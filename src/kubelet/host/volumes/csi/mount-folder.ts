import { rmdir } from "node:fs/promises";
import { errorMessage } from "../../../../base/error-message.ts";
import { mountAt } from "../mounts.ts";
import { csiError } from "./csi-text.ts";

/**
 * Removes the folder of a mount that a driver has unmounted. Drivers should remove it themselves, and some do not.
 * Files in it belong to somebody else: it must be empty.
 */
export async function removeMountFolder(path: string): Promise<void> {
  if (await mountAt(path)) throw csiError(`failed to remove dir [${path}]: it is still mounted`);
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR")
      throw csiError(`failed to remove dir [${path}]: ${errorMessage(error)}`);
  });
}
