import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { parseProxyUrl, proxyFromEnvironment } from "./proxy-choice.ts";

type Row = [server: string, env: Readonly<Record<string, string>>, proxy?: string];

const https = "http://p:1";
const except = (list: string): Record<string, string> => ({ HTTPS_PROXY: https, NO_PROXY: list });

each<Row>([
  ["https://a.example:6443", { HTTPS_PROXY: https }, "http://p:1/"],
  ["https://a.example", { https_proxy: https, HTTPS_PROXY: "" }, "http://p:1/"],
  ["https://a.example", { HTTPS_PROXY: "p:1" }, "http://p:1/"],
  ["https://a.example", { HTTPS_PROXY: "socks5://u:v@p" }, "socks5://u:v@p"],
  ["https://a.example", { HTTP_PROXY: https }],
  ["http://a.example", { HTTP_PROXY: https }, "http://p:1/"],
  ["https://localhost", { HTTPS_PROXY: https }],
  ["https://127.8.9.1:1", { HTTPS_PROXY: https }],
  ["https://[::1]:1", { HTTPS_PROXY: https }],
  ["https://a.example", except("example")],
  ["https://example", except("example")],
  ["https://anexample", except("example"), "http://p:1/"],
  ["https://example", except(".example"), "http://p:1/"],
  ["https://a.example", except(".example")],
  ["https://a.example", except("*.example")],
  ["https://A.Example", except(" x , a.EXAMPLE ")],
  ["https://a.example:6443", except("a.example:6443")],
  ["https://a.example:6444", except("a.example:6443"), "http://p:1/"],
  ["https://10.1.2.3", except("10.0.0.0/8")],
  ["https://11.1.2.3", except("10.0.0.0/8"), "http://p:1/"],
  ["https://10.1.2.3:6443", except("10.1.2.3")],
  ["https://10.1.2.3:6443", except("10.1.2.3:443"), "http://p:1/"],
  ["https://[fd00::1]:443", except("[fd00::1]:443")],
  ["https://[fd00::2]", except("fd00::/16")],
  ["https://a.example", except("b,*")],
])("proxy: %s with %j uses %s", (server, env, proxy) => {
  expect(proxyFromEnvironment(env)(new URL(server))?.href).toBe(proxy);
});

test("proxy: a request header cannot choose the proxy of a CGI program", () => {
  const choose = proxyFromEnvironment({ HTTP_PROXY: https, REQUEST_METHOD: "GET" });
  expect(() => choose(new URL("http://a.example"))).toThrow("CGI environment");
});

test("proxy: a kubeconfig may name http, https and socks5 proxies", () => {
  expect(parseProxyUrl("socks5://p:1").href).toBe("socks5://p:1");
  expect(() => parseProxyUrl("ftp://p")).toThrow(
    'unsupported scheme "ftp", must be http, https, or socks5',
  );
  expect(() => parseProxyUrl("p:1")).toThrow('unsupported scheme "p"');
});
