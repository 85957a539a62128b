import { expect, test } from "vitest";
import { etcdKeys } from "./etcd-keys.ts";

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes);
const shown = (prefix: string | undefined, wanted: string, after?: string): unknown => {
  const range = etcdKeys(prefix).range(wanted, after);
  return range && [text(range.key), text(range.range_end)];
};

test.each([
  [undefined, "", undefined, ["\0", "\0"]],
  [undefined, "", "/b", ["/b\0", "\0"]],
  [undefined, "/p/", undefined, ["/p/", "/p0"]],
  [undefined, "/p/", "/p/x", ["/p/x\0", "/p0"]],
  [undefined, "/p/", "/a", ["/p/", "/p0"]],
  [undefined, "/p/", "/q", undefined],
  ["/mine", "", undefined, ["/mine/", "/mine0"]],
  ["/mine", "/registry/pods/", undefined, ["/mine/pods/", "/mine/pods0"]],
  ["mine/", "/registry/pods/", "/registry/pods/a", ["/mine/pods/a\0", "/mine/pods0"]],
  ["/mine", "/", "/registry/pods/a", ["/mine/pods/a\0", "/mine0"]],
  ["/mine", "/registry/", "/a", ["/mine/", "/mine0"]],
  ["/mine", "/registry/", "/s", undefined],
  ["/mine", "/other/", undefined, undefined],
  ["/", "/registry/pods/", undefined, ["/pods/", "/pods0"]],
])("etcdKeys(%j).range(%j, %j)", (prefix, wanted, after, expected) => {
  expect(shown(prefix, wanted, after)).toEqual(expected);
});

test("etcdKeys: keys map one to one, and keys outside of the prefix are not the store's", () => {
  const keys = etcdKeys("/a/b/");
  const there = keys.toEtcd("/registry/pods/x");
  expect([
    text(there),
    keys.fromEtcd(there),
    keys.fromEtcd(new TextEncoder().encode("/registry/pods/x")),
  ]).toEqual(["/a/b/pods/x", "/registry/pods/x", undefined]);
});
