import type { ContainerSecurityContext } from "../../../cri/linux-types.ts";
import { numericId, type ResolvedUser, sortedGids } from "./resolved-user.ts";
import type { PasswdGroup, PasswdUser, UserFiles } from "./user-files.ts";

type UserSettings = Pick<
  ContainerSecurityContext,
  "runAsUser" | "runAsGroup" | "runAsUsername" | "supplementalGroups" | "supplementalGroupsPolicy"
>;

/** The user of a container of a pod, by containerd's rules: that of the request, or that of the image, or root. */
export function criUser(settings: UserSettings, imageUser: string, files: UserFiles): ResolvedUser {
  const requested = requestedUser(settings) || imageUser;
  const [user = "", group] = partsOf(requested);
  const { uid, gid, home } = requested === "" ? rootUser : lookUp(requested, [user, group], files);
  const imageGids =
    settings.supplementalGroupsPolicy === "strict" ? [] : groupsOf(user || "0", files);
  return {
    uid,
    gid,
    additionalGids: sortedGids(gid, ...imageGids, ...(settings.supplementalGroups ?? [])),
    home,
  };
}

const rootUser = { uid: 0, gid: 0, home: undefined };

function requestedUser({ runAsUsername, runAsUser, runAsGroup }: UserSettings): string {
  const user = runAsUsername || runAsUser?.toString() || "";
  if (runAsGroup === undefined) return user;
  if (user === "") throw new Error(`user group "${runAsGroup}" is specified without user`);
  return `${user}:${runAsGroup}`;
}

function partsOf(requested: string): readonly string[] {
  const parts = requested.split(":");
  if (parts.length > 2) throw new Error(`invalid USER value ${requested}`);
  return parts;
}

/** A group that is given needs no entry of the user, and its absence is that of the user's entry, or 0. */
function lookUp(
  requested: string,
  [user, group]: readonly [string, string | undefined],
  files: UserFiles,
): { uid: number; gid: number; home: string | undefined } {
  const uid = inRange(requested, "uid", numericId(user));
  const gid = group === undefined ? undefined : inRange(requested, "gid", numericId(group));
  const entry =
    uid === undefined
      ? userNamed(user, files)
      : files.users?.find((candidate) => candidate.uid === uid);
  return {
    uid: uid ?? entry?.uid ?? 0,
    gid: group === undefined ? (entry?.gid ?? 0) : (gid ?? groupNamed(group, files).gid),
    home: entry?.home,
  };
}

function inRange(
  requested: string,
  kind: "uid" | "gid",
  id: number | undefined | "out of range",
): number | undefined {
  if (id !== "out of range") return id;
  throw new Error(`invalid USER value ${JSON.stringify(requested)}: ${kind} out of range`);
}

function userNamed(name: string, { users }: UserFiles): PasswdUser {
  if (users === undefined) throw new Error("openat etc/passwd: no such file or directory");
  const found = users.find((user) => user.name === name);
  if (found === undefined) throw new Error("no users found");
  return found;
}

function groupNamed(name: string, { groups }: UserFiles): PasswdGroup {
  if (groups === undefined) throw new Error("openat etc/group: no such file or directory");
  const found = groups.find((group) => group.name === name);
  if (found === undefined) throw new Error("no groups found");
  return found;
}

/** The groups that name a user as their member, but for the user's own. */
function groupsOf(user: string, { users, groups = [] }: UserFiles): readonly number[] {
  const uid = numericId(user);
  const name = typeof uid === "number" ? users?.find((entry) => entry.uid === uid)?.name : user;
  if (name === undefined) return [];
  return groups
    .filter((group) => group.name !== name && group.members.includes(name))
    .map(({ gid }) => gid);
}
