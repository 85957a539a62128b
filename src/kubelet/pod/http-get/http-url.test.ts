import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { hostnameOf, httpUrl, portOf, resolveLocation, urlText } from "./http-url.ts";

const place = { scheme: "http", host: "10.0.0.1", port: 80 };

each<[path: string, text: string]>([
  ["/", "http://10.0.0.1:80/"],
  ["", "http://10.0.0.1:80"],
  ["healthz", "http://10.0.0.1:80/healthz"],
  ["/a?b=c&d", "http://10.0.0.1:80/a?b=c&d"],
  ["/a?", "http://10.0.0.1:80/a?"],
  ["?q", "http://10.0.0.1:80?q"],
  ["/a b/ü", "http://10.0.0.1:80/a%20b/%C3%BC"],
  ["/a%2Fb", "http://10.0.0.1:80/a%2Fb"],
  ["/a%2Fb c", "http://10.0.0.1:80/a/b%20c"],
  ["/(x)!*'", "http://10.0.0.1:80/(x)!*'"],
  ["/x#frag", "http://10.0.0.1:80/x#frag"],
  ["//other/x", "http://10.0.0.1:80/x"],
  ["https://user@other:1/x?y", "http://10.0.0.1:80/x?y"],
  // What is no URL is a path.
  ["/%zz?q#f", "http://10.0.0.1:80/%25zz%3Fq%23f"],
  ["a:b/c", "http:b/c"],
  ["1:b", "http://10.0.0.1:80/1:b"],
  ["/a\nb", "http://10.0.0.1:80/a%0Ab"],
])("httpUrl: %j", (path, text) => {
  expect(urlText(httpUrl({ ...place, path }))).toBe(text);
});

each<[authority: string, scheme: string, hostname: string, port: number]>([
  ["10.0.0.1:80", "http", "10.0.0.1", 80],
  ["[fd00::1]:8080", "http", "fd00::1", 8080],
  ["[fd00::1]", "https", "fd00::1", 443],
  ["[fe80::1%25eth0]:80", "http", "fe80::1%eth0", 80],
  ["name", "http", "name", 80],
])("hostnameOf, portOf: %s", (authority, scheme, hostname, port) => {
  const url = { scheme, authority, path: "/", query: "", fragment: "" };
  expect([hostnameOf(url), portOf(url)]).toEqual([hostname, port]);
});

each<[location: string, text: string]>([
  ["/other", "http://10.0.0.1:80/other"],
  ["other", "http://10.0.0.1:80/a/other"],
  ["../other?x=y", "http://10.0.0.1:80/other?x=y"],
  ["./", "http://10.0.0.1:80/a/"],
  ["..", "http://10.0.0.1:80/"],
  ["../../..", "http://10.0.0.1:80/"],
  ["", "http://10.0.0.1:80/a/b?q"],
  ["?z", "http://10.0.0.1:80/a/b?z"],
  ["//host/x", "http://host/x"],
  ["https://host:8443/x/../y", "https://host:8443/y"],
  ["https://host", "https://host"],
  ["mailto:me", "mailto:me"],
  ["/%z", 'parse "/%z": invalid URL escape "%z"'],
  ["a b:c", 'parse "a b:c": first path segment in URL cannot contain colon'],
  [":x", 'parse ":x": missing protocol scheme'],
  ["/\x01", 'parse "/\\x01": net/url: invalid control character in URL'],
])("resolveLocation: %j", (location, text) => {
  const url = resolveLocation(httpUrl({ ...place, path: "/a/b?q" }), location);
  expect(typeof url === "string" ? url : urlText(url)).toBe(text);
});
