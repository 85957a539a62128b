import { missingForContainers } from "../../engine/programs.ts";

/**
 * Why this machine cannot run nodes in boxes, with the command that helps; undefined if it can.
 */
export const missingForBoxes = (): Promise<string | undefined> =>
  missingForContainers({ also: ["unshare", "pivot_root", "umount", "flock"] });
