import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { HTTPGetAction } from "../../../api/core/v1/container/handler.ts";
import { httpGetRequest } from "./http-get-request.ts";
import { requestHead } from "./request-head.ts";

const context = {
  container: { name: "c", ports: [{ name: "web", containerPort: 8080 }] } as never,
  podIP: "10.0.0.1",
  purpose: "probe",
} as const;

const linesOf = (action: HTTPGetAction, podIP = "10.0.0.1"): readonly string[] =>
  requestHead(httpGetRequest(action, { ...context, podIP }), ["Connection: close"]).split("\r\n");

type Headers = readonly (readonly [name: string, value: string])[];

each<[headers: Headers, lines: string[]]>([
  [[], ["Host: 10.0.0.1:80", "User-Agent: kube-probe/1.36", "Accept: */*"]],
  [[["host", "example.com"]], ["Host: example.com", "User-Agent: kube-probe/1.36", "Accept: */*"]],
  [[["Host", "not valid"]], ["Host: ", "User-Agent: kube-probe/1.36", "Accept: */*"]],
  [
    [
      ["user-agent", "mine"],
      ["accept", ""],
    ],
    ["Host: 10.0.0.1:80", "User-Agent: mine"],
  ],
  [[["User-Agent", ""]], ["Host: 10.0.0.1:80", "Accept: */*"]],
  [
    [
      ["x-b", " 2 "],
      ["X-A", "1"],
      ["X-B", "3"],
      ["content-length", "5"],
    ],
    [
      "Host: 10.0.0.1:80",
      "User-Agent: kube-probe/1.36",
      "Accept: */*",
      "X-A: 1",
      "X-B: 2",
      "X-B: 3",
    ],
  ],
])("requestHead: headers %j", (headers, lines) => {
  const httpHeaders = headers.map(([name, value]) => ({ name, value }));
  expect(linesOf({ scheme: "HTTP", port: 80, path: "/x?y", httpHeaders })).toEqual([
    "GET /x?y HTTP/1.1",
    ...lines,
    "Connection: close",
    "",
    "",
  ]);
});

test("requestHead: the pod's address is the default host, and ports have names", () => {
  const [line, host] = linesOf({ port: "web", path: "" } as HTTPGetAction, "fd00::1");
  expect([line, host]).toEqual(["GET / HTTP/1.1", "Host: [fd00::1]:8080"]);
  const named = httpGetRequest({ port: 1, host: "h", scheme: "HTTPS" } as HTTPGetAction, context);
  expect(named.url).toMatchObject({ scheme: "https", authority: "h:1" });
  expect(() => httpGetRequest({ port: 80, host: "a b" } as HTTPGetAction, context)).toThrow(
    'parse "http://a%20b:80": invalid URL escape "%20"',
  );
});

each<[name: string, value: string, message: string]>([
  ["X-A", "1\r\nX-B: 2", 'net/http: invalid header field value for "X-A"'],
  ["X A", "1", 'net/http: invalid header field name "X A"'],
])("requestHead: refuses header %j with value %j", (name, value, message) => {
  const action = { scheme: "HTTP", port: 80, path: "/", httpHeaders: [{ name, value }] };
  expect(() => linesOf(action)).toThrow(message);
});
