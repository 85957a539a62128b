import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { HttpGetRequest } from "./http-get-request.ts";
import { httpUrl, urlText } from "./http-url.ts";
import { afterResponse } from "./redirect.ts";

const url = httpUrl({ scheme: "https", host: "10.0.0.1", port: 443, path: "/a" });
const request: HttpGetRequest = {
  url,
  host: "example.com",
  headers: new Map([["X-A", ["1"]]]),
};

const after = (status: number, location: string, sent = 1) => {
  const next = afterResponse(request, { status, location }, { first: url, sent });
  if (next.type !== "redirect") return next;
  const { headers, host } = next.request;
  return `${urlText(next.request.url)} host=${host} referer=${headers.get("Referer")?.[0] ?? ""}`;
};

each<[status: number, location: string, outcome: unknown]>([
  [200, "/b", { type: "answer" }],
  [304, "/b", { type: "answer" }],
  [302, "", { type: "answer" }],
  [302, "https://other/b", { type: "answer" }],
  [301, "/b", "https://10.0.0.1:443/b host=example.com referer=https://10.0.0.1:443/a"],
  [307, "https://10.0.0.1:8443/b", "https://10.0.0.1:8443/b host= referer=https://10.0.0.1:443/a"],
  [308, "http://10.0.0.1/b", "http://10.0.0.1/b host= referer="],
  [
    303,
    "/%",
    {
      type: "error",
      url: "https://10.0.0.1:443/a",
      message: 'failed to parse Location header "/%": parse "/%": invalid URL escape "%"',
    },
  ],
])("afterResponse: %i to %j", (status, location, outcome) => {
  expect(after(status, location)).toEqual(outcome);
});

test("afterResponse: ten requests are enough", () => {
  expect(after(302, "/b", 9)).toContain("/b");
  const error = { type: "error", url: "/b", message: "stopped after 10 redirects" };
  expect(after(302, "/b", 10)).toEqual(error);
});
