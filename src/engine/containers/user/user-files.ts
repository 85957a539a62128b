import { errnoText } from "../oci/errno-text.ts";
import { readInRoot } from "./read-in-root.ts";

/** The users and groups of an image; undefined where it has no such file. */
export interface UserFiles {
  readonly users: readonly PasswdUser[] | undefined;
  readonly groups: readonly PasswdGroup[] | undefined;
}

export interface PasswdUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export interface PasswdGroup {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** Reads the users and groups of a root file system, whose links never lead out of it. */
export async function readUserFiles(root: string): Promise<UserFiles> {
  const [passwd, group] = await Promise.all([read(root, "etc/passwd"), read(root, "etc/group")]);
  return {
    users: passwd === undefined ? undefined : parsePasswd(passwd),
    groups: group === undefined ? undefined : parseGroup(group),
  };
}

/** The users in the text of an `/etc/passwd`; lines whose numbers cannot be read are skipped. */
export function parsePasswd(text: string): readonly PasswdUser[] {
  return linesOf(text).flatMap(([name = "", , uid = "", gid = "", , home = ""]) => {
    const numbers = { uid: idOf(uid), gid: idOf(gid) };
    if (name === "" || numbers.uid === undefined || numbers.gid === undefined) return [];
    return [{ name, uid: numbers.uid, gid: numbers.gid, home }];
  });
}

/** The groups in the text of an `/etc/group`; lines whose number cannot be read are skipped. */
export function parseGroup(text: string): readonly PasswdGroup[] {
  return linesOf(text).flatMap(([name = "", , number = "", members = ""]) => {
    const gid = idOf(number);
    if (name === "" || gid === undefined) return [];
    return [{ name, gid, members: members === "" ? [] : members.split(",") }];
  });
}

/** The largest number of a user or group that runc accepts. */
export const largestId = 0x7fffffff;

const largestFile = 10 << 20;

async function read(root: string, path: string): Promise<string | undefined> {
  try {
    return await readInRoot(root, path, largestFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`openat ${path}: ${errnoText(error)}`, { cause: error });
  }
}

function linesOf(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(":"));
}

/** An absent number is 0. */
function idOf(text: string): number | undefined {
  if (text === "") return 0;
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return id <= largestId ? id : undefined;
}
