import { expect, test } from "vitest";
import { rewriteUrl } from "./rewrite-url.ts";

const page = { prefix: "/proxy", host: "10.0.0.1:80", requestHost: "api:6443" };

test.each([
  ["/x", "/proxy/x"],
  ["/x/?q=1#f", "/proxy/x/?q=1#f"],
  ["/", "/proxy/"],
  ["/proxy/x", "/proxy/x"],
  ["/a/../b", "/proxy/b"],
  ["x", "x"],
  ["?q", "?q"],
  ["#f", "#f"],
  ["", ""],
  ["mailto:a@b", "mailto:a@b"],
  ["http://10.0.0.1:80/x", "/proxy/x"],
  ["//10.0.0.1:80/x", "/proxy/x"],
  ["https://api:6443/x", "https://api:6443/proxy/x"],
  ["http://elsewhere/x", "http://elsewhere/x"],
  ["/a%2", "/a%2"],
  ["/a%20b", "/proxy/a%20b"],
])("rewriteUrl: %s", (url, rewritten) => {
  expect(rewriteUrl(url, page)).toBe(rewritten);
});
