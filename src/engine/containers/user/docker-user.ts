import { numericId, type ResolvedUser, sortedGids } from "./resolved-user.ts";
import type { UserFiles } from "./user-files.ts";

/**
 * The user of `docker run` and `docker exec`, by docker's rules. `user` is a name or number, with or without a group;
 * `groups` are added by name or number.
 */
export function dockerUser(
  { user, groups }: { readonly user: string; readonly groups: readonly string[] },
  files: UserFiles,
): ResolvedUser {
  const [name = "", group = ""] = user.split(":");
  const wanted = idOf(name);
  const entry = files.users?.find((candidate) =>
    name === "" || wanted !== undefined ? candidate.uid === (wanted ?? 0) : candidate.name === name,
  );
  if (entry === undefined && name !== "" && wanted === undefined) {
    throw new Error(`unable to find user ${name}: no matching entries in passwd file`);
  }
  const gid = group === "" ? (entry?.gid ?? 0) : groupId(group, files);
  const memberOf =
    group === "" && entry !== undefined
      ? (files.groups ?? []).filter(({ members }) => members.includes(entry.name))
      : [];
  return {
    uid: entry?.uid ?? wanted ?? 0,
    gid,
    additionalGids: sortedGids(
      gid,
      ...memberOf.map((member) => member.gid),
      ...groups.map((added) => groupId(added, files)),
    ),
    home: entry?.home,
  };
}

function groupId(group: string, { groups }: UserFiles): number {
  const wanted = idOf(group);
  const gid = wanted ?? groups?.find(({ name }) => name === group)?.gid;
  if (gid !== undefined) return gid;
  throw new Error(`unable to find group ${group}: no matching entries in group file`);
}

function idOf(text: string): number | undefined {
  const id = numericId(text);
  if (id !== "out of range") return id;
  throw new Error("uids and gids must be in range 0-2147483647");
}
