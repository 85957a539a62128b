import { expect, test } from "vitest";
import { parseTokenFile } from "./token-file.ts";
import { openTokenServer } from "./token-server.test-support.ts";

const text = `t1,jane,1
t2,joe,2,"devs,ops"
,nobody,3

t1,jill,4,
`;

test("parseTokenFile: users by token; the last of a token counts, and an empty one does not", () => {
  const { users, warnings } = parseTokenFile("f", text);
  expect([...users]).toEqual([
    ["t1", { name: "jill", uid: "4", groups: [""] }],
    ["t2", { name: "joe", uid: "2", groups: ["devs", "ops"] }],
  ]);
  expect(warnings).toEqual([
    "empty token has been found in token file 'f', record number '3'",
    "duplicate token has been found in token file 'f', record number '4'",
  ]);
});

test("parseTokenFile: token, name and uid must be there, and an error holds no token", () => {
  expect(() => parseTokenFile("f", "s3cret,jane")).toThrow(
    new Error("token file 'f' must have at least 3 columns (token, user name, user uid), found 2"),
  );
  expect(() => parseTokenFile("f", 's3"cret,jane,1')).toThrow(
    new Error('parse error on line 1, column 3: bare " in non-quoted-field'),
  );
});

test("parseTokenFile: reports the first error", () => {
  expect(() => parseTokenFile("f", 't,jane\na"b,c,d')).toThrow("found 2");
  expect(() => parseTokenFile("f", 'a"b,c,d\nt,jane')).toThrow("parse error on line 1");
});

test("a token of a file is its user, for the server alone", async () => {
  const { users } = parseTokenFile("f", text);
  const { show, review } = await openTokenServer({ staticTokens: users });
  const user = { username: "joe", uid: "2", groups: ["devs", "ops", "system:authenticated"] };
  expect((await show("t2")).body.status.userInfo).toEqual(user);
  expect(await review("t2", ["x", "vault"])).toEqual({
    authenticated: true,
    user,
    audiences: ["vault"],
  });
  expect((await review("t2", ["x"])).error).toBe("invalid bearer token");
  expect((await show("t3")).status).toBe(401);
});
