import { parseGroup, parsePasswd, type UserFiles } from "./user-files.ts";

/** The users and groups of an image in tests. */
export const testUsers: UserFiles = {
  users: parsePasswd(
    "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1001::/home/alice:/bin/sh\nbob:x:1002:1002::/:\n",
  ),
  groups: parseGroup(
    "root:x:0:root\nwheel:x:10:root,alice\nalice:x:1001:alice\nstaff:x:50:alice,bob\n",
  ),
};

/** An image without such files. */
export const noUsers: UserFiles = { users: undefined, groups: undefined };
