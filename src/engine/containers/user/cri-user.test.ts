import { describe, expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { criUser } from "./cri-user.ts";
import type { ResolvedUser } from "./resolved-user.ts";
import type { UserFiles } from "./user-files.ts";
import { noUsers, testUsers } from "./users.test-support.ts";

type Settings = Parameters<typeof criUser>[0];

describe("criUser", () => {
  each<[Settings, imageUser: string, UserFiles, ResolvedUser]>([
    [{}, "", testUsers, { uid: 0, gid: 0, additionalGids: [0, 10] }],
    [{}, "", noUsers, { uid: 0, gid: 0, additionalGids: [0] }],
    [
      {},
      "alice",
      testUsers,
      { uid: 1000, gid: 1001, additionalGids: [10, 50, 1001], home: "/home/alice" },
    ],
    [
      {},
      "alice:staff",
      testUsers,
      { uid: 1000, gid: 50, additionalGids: [10, 50], home: "/home/alice" },
    ],
    [{}, "1002:7", testUsers, { uid: 1002, gid: 7, additionalGids: [7, 50], home: "/" }],
    [
      { runAsUser: 1000 },
      "bob",
      testUsers,
      { uid: 1000, gid: 1001, additionalGids: [10, 50, 1001], home: "/home/alice" },
    ],
    [{ runAsUser: 1000, runAsGroup: 3 }, "", noUsers, { uid: 1000, gid: 3, additionalGids: [3] }],
    [{ runAsUser: 4242 }, "", testUsers, { uid: 4242, gid: 0, additionalGids: [0] }],
    [
      { runAsUsername: "bob", runAsUser: 1000 },
      "",
      testUsers,
      { uid: 1002, gid: 1002, additionalGids: [50, 1002], home: "/" },
    ],
    [
      { runAsUser: 1000, supplementalGroups: [99, 10, 99] },
      "",
      testUsers,
      { uid: 1000, gid: 1001, additionalGids: [10, 50, 99, 1001], home: "/home/alice" },
    ],
    [
      { runAsUser: 1000, supplementalGroups: [99], supplementalGroupsPolicy: "strict" },
      "",
      testUsers,
      { uid: 1000, gid: 1001, additionalGids: [99, 1001], home: "/home/alice" },
    ],
  ])("%j, image user %j", (settings, imageUser, files, expected) => {
    expect(criUser(settings, imageUser, files)).toEqual(expected);
  });

  each<[Settings, imageUser: string, UserFiles, message: string]>([
    [{}, "carol", testUsers, "no users found"],
    [{}, "carol", noUsers, "openat etc/passwd: no such file or directory"],
    [{}, "alice:carols", testUsers, "no groups found"],
    [{}, "0:carols", noUsers, "openat etc/group: no such file or directory"],
    [{}, "a:b:c", testUsers, "invalid USER value a:b:c"],
    [{}, "2147483648", testUsers, 'invalid USER value "2147483648": uid out of range'],
    [{}, "-1", testUsers, 'invalid USER value "-1": uid out of range'],
    [{}, "0:99999999999", testUsers, 'invalid USER value "0:99999999999": gid out of range'],
    [{ runAsGroup: 5 }, "alice", testUsers, 'user group "5" is specified without user'],
  ])("%j, image user %j: rejected", (settings, imageUser, files, message) => {
    expect(() => criUser(settings, imageUser, files)).toThrow(new Error(message));
  });
});
