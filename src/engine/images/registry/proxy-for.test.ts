import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { type ProxyEnvironment, proxyFor } from "./proxy-for.ts";

const proxy = { HTTPS_PROXY: "http://proxy:3128", http_proxy: "plain:80" };

each<[string, ProxyEnvironment, string | undefined]>([
  ["https://a.io", {}, undefined],
  ["https://a.io", proxy, "http://proxy:3128/"],
  ["http://a.io", proxy, "http://plain/"],
  ["https://127.0.0.1:5000", proxy, undefined],
  ["https://localhost", proxy, undefined],
  ["https://[::1]:5000", proxy, undefined],
  ["https://a.io", { ...proxy, NO_PROXY: "*" }, undefined],
  ["https://a.io", { ...proxy, NO_PROXY: "b.io, a.io" }, undefined],
  ["https://x.a.io", { ...proxy, no_proxy: "a.io" }, undefined],
  ["https://x.a.io", { ...proxy, NO_PROXY: "*.a.io" }, undefined],
  ["https://a.io", { ...proxy, NO_PROXY: ".a.io" }, "http://proxy:3128/"],
  ["https://ba.io", { ...proxy, NO_PROXY: "a.io" }, "http://proxy:3128/"],
  ["https://a.io:5000", { ...proxy, NO_PROXY: "a.io:5000" }, undefined],
  ["https://a.io", { ...proxy, NO_PROXY: "a.io:5000" }, "http://proxy:3128/"],
  ["https://10.1.2.3", { ...proxy, NO_PROXY: "10.0.0.0/8" }, undefined],
  ["https://11.1.2.3", { ...proxy, NO_PROXY: "10.0.0.0/8" }, "http://proxy:3128/"],
  ["https://10.1.2.3", { ...proxy, NO_PROXY: "10.1.2.3" }, undefined],
])("proxyFor: %s with %j is %s", (url, env, expected) => {
  expect(proxyFor(new URL(url), env)?.href).toBe(expected);
});

test("proxyFor: an invalid address is an error", () => {
  expect(() => proxyFor(new URL("https://a.io"), { HTTPS_PROXY: "socks5://x" })).toThrow(
    "invalid proxy address in HTTPS_PROXY",
  );
});
