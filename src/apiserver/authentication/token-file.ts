import type { User } from "../request/identity.ts";
import { csvRecords } from "./csv-records.ts";

/** The users of a token file, by token, and warnings about it. */
export interface TokenFile {
  readonly users: ReadonlyMap<string, User>;
  readonly warnings: readonly string[];
}

/** Parses lines of `token,user,uid,"group1,group2"`, where the groups may be missing; errors name `path`. */
export function parseTokenFile(path: string, text: string): TokenFile {
  const users = new Map<string, User>();
  const warnings: string[] = [];
  let number = 0;
  for (const record of csvRecords(text)) {
    number++;
    const [token = "", name = "", uid = "", groups] = record;
    if (record.length < 3)
      throw new Error(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
      );
    const warn = (what: string) =>
      warnings.push(
        `${what} token has been found in token file '${path}', record number '${number}'`,
      );
    if (token === "") {
      warn("empty");
      continue;
    }
    if (users.has(token)) warn("duplicate");
    users.set(token, { name, uid, groups: groups?.split(",") ?? [] });
  }
  return { users, warnings };
}
