import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { parseGoQuery, parseGoUrl, requestUriFault, splitGoHost } from "./go-url.ts";

const none = { scheme: "", user: undefined, host: "", path: "", query: "", fragment: "" };

each<[url: string, parts: object]>([
  [
    "HTTPS://a.b:443/c%20d?e#f",
    {
      scheme: "https",
      host: "a.b:443",
      path: "/c d",
      query: "e",
      fragment: "f",
    },
  ],
  ["https://u%3A:p%40@h", { scheme: "https", user: "u%3A:p%40", host: "h" }],
  ["https://u@h/", { scheme: "https", user: "u", host: "h", path: "/" }],
  ["mailto:a@b", { scheme: "mailto" }],
  ["a/b:c", { path: "a/b:c" }],
  ["//h/p", { host: "h", path: "/p" }],
  ["///p", { path: "///p" }],
  ["https://[::1]:80", { scheme: "https", host: "[::1]:80" }],
  ["https://[fe80::1%25en0]", { scheme: "https", host: "[fe80::1%en0]" }],
  ["https://h:", { scheme: "https", host: "h:" }],
  ["", {}],
])("parseGoUrl: the parts of %s", (url, parts) => {
  expect(parseGoUrl(url)).toMatchObject({ ...none, ...parts });
});

test.each([
  ["1http:a", 'parse "1http:a": first path segment in URL cannot contain colon'],
  [":a", 'parse ":a": missing protocol scheme'],
  ["a:b:c/d", undefined],
  ["https://a b", 'parse "https://a b": invalid character " " in host name'],
  ["https://a:b", 'parse "https://a:b": invalid port ":b" after host'],
  ["https://a%zz", 'parse "https://a%zz": invalid URL escape "%zz"'],
  ["https://a%2f", 'parse "https://a%2f": invalid URL escape "%2f"'],
  ["https://a/%", 'parse "https://a/%": invalid URL escape "%"'],
  ["https://[::1", `parse "https://[::1": missing ']' in host`],
  ["https://[1.2.3.4]", 'parse "https://[1.2.3.4]": invalid IP-literal'],
  ["https://a[::1]", 'parse "https://a[::1]": invalid IP-literal'],
  ["https://[a]", 'parse "https://[a]": invalid host: ParseAddr("a"): unable to parse IP'],
  ["https://a:1:2", 'parse "https://a:1:2": invalid port ":1:2" after host'],
  ["https://a b@c", 'parse "https://a b@c": net/url: invalid userinfo'],
  ["https://a\n", 'parse "https://a\\n": net/url: invalid control character in URL'],
  ["https://a#%x", 'parse "https://a#%x": invalid URL escape "%x"'],
])("parseGoUrl: an error of %j", (url, error) => {
  const outcome = parseGoUrl(url);
  expect(typeof outcome === "string" ? outcome : undefined).toEqual(error);
});

each<[url: string, fault: string | undefined]>([
  ["https://a.b/c?d=e#f", undefined],
  ["/only/a/path", undefined],
  ["*", undefined],
  ["mailto:someone", undefined],
  ["", 'parse "": empty url'],
  ["no/path", 'parse "no/path": invalid URI for request'],
  ["http://[::1", "parse \"http://[::1\": missing ']' in host"],
])("requestUriFault: what is wrong with %s", (url, fault) => {
  expect(requestUriFault(url)).toBe(fault);
});

test("parseGoUrl: keeps how a path is written, and what is no path", () => {
  expect(parseGoUrl("http://h/a%2fb")).toMatchObject({ path: "/a/b", escapedPath: "/a%2fb" });
  expect(parseGoUrl("http://h/a b")).toMatchObject({ path: "/a b", escapedPath: "/a%20b" });
  expect(parseGoUrl("mailto:a@b")).toMatchObject({ opaque: "a@b", path: "" });
});

test("splitGoHost: brackets are not part of the name", () => {
  expect(splitGoHost("[::1]:80")).toEqual({ name: "::1", port: "80" });
  expect(splitGoHost("a.b")).toEqual({ name: "a.b", port: "" });
});

test("parseGoQuery: what cannot be read is left out", () => {
  expect([...parseGoQuery("a=1&b=%zz&a=2+3&c;d=4&e")]).toEqual([
    ["a", ["1", "2 3"]],
    ["e", [""]],
  ]);
});
