import { describe, expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { dockerUser } from "./docker-user.ts";
import type { ResolvedUser } from "./resolved-user.ts";
import type { UserFiles } from "./user-files.ts";
import { noUsers, testUsers } from "./users.test-support.ts";

describe("dockerUser", () => {
  each<[user: string, groups: string[], UserFiles, ResolvedUser]>([
    ["", [], testUsers, { uid: 0, gid: 0, additionalGids: [0, 10], home: "/root" }],
    ["", [], noUsers, { uid: 0, gid: 0, additionalGids: [0] }],
    [
      "alice",
      [],
      testUsers,
      { uid: 1000, gid: 1001, additionalGids: [10, 50, 1001], home: "/home/alice" },
    ],
    [
      "alice:staff",
      [],
      testUsers,
      { uid: 1000, gid: 50, additionalGids: [50], home: "/home/alice" },
    ],
    ["4242", [], testUsers, { uid: 4242, gid: 0, additionalGids: [0] }],
    ["4242:4243", ["7"], noUsers, { uid: 4242, gid: 4243, additionalGids: [7, 4243] }],
    [":50", [], testUsers, { uid: 0, gid: 50, additionalGids: [50], home: "/root" }],
    [
      "bob",
      ["wheel"],
      testUsers,
      { uid: 1002, gid: 1002, additionalGids: [10, 50, 1002], home: "/" },
    ],
  ])("%j with groups %j", (user, groups, files, expected) => {
    expect(dockerUser({ user, groups }, files)).toEqual(expected);
  });

  each<[user: string, groups: string[], message: string]>([
    ["carol", [], "unable to find user carol: no matching entries in passwd file"],
    ["bob:carols", [], "unable to find group carols: no matching entries in group file"],
    ["bob", ["carols"], "unable to find group carols: no matching entries in group file"],
    ["2147483648", [], "uids and gids must be in range 0-2147483647"],
    ["0:-1", [], "uids and gids must be in range 0-2147483647"],
  ])("%j with groups %j: rejected", (user, groups, message) => {
    expect(() => dockerUser({ user, groups }, testUsers)).toThrow(new Error(message));
  });
});
