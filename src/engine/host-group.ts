import { readFile } from "node:fs/promises";
import { runChild } from "../platform/run-child.ts";
import { parseGroup } from "./containers/user/user-files.ts";

/** The number of a group of this machine, by its name or its number; undefined if there is no such name. */
export async function hostGroup(name: string): Promise<number | undefined> {
  if (/^\d{1,9}$/.test(name)) return Number(name);
  const file = await readFile("/etc/group", "utf8").catch(() => "");
  const inFile = groupIn(file, name);
  if (inFile !== undefined) return inFile;
  // A directory service may have groups that no file has.
  const found = await runChild("getent", ["group", "--", name]).catch(() => undefined);
  return groupIn(found?.stdout ?? "", name);
}

const groupIn = (text: string, name: string): number | undefined =>
  parseGroup(text).find((group) => group.name === name)?.gid;
