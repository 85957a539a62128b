import { boolFlag } from "../../../../cli/flag.ts";

/** How the lines of an edited file end. */
export const lineEndingFlags = (usage: string) => ({
  "windows-line-endings": boolFlag({ usage, default: process.platform === "win32" }),
});
