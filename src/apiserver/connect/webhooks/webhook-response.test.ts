import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { type ReadResponse, responseText, retryAfter } from "./webhook-response.ts";

const response = (status: number, text: string, type = "application/json"): ReadResponse => ({
  status,
  text,
  headers: [["Content-Type", type]],
});
const status = { kind: "Status", apiVersion: "v1", status: "Failure", message: "no", code: 418 };

each<[what: string, given: ReadResponse, message: string]>([
  [
    "nothing",
    response(200, "", "text/plain"),
    "0-length response with status code: 200 and content type: text/plain",
  ],
  [
    "nothing of no type",
    { status: 204, text: "", headers: [] },
    "0-length response with status code: 204 and content type: application/json",
  ],
  [
    "a redirect",
    response(302, ""),
    "the server responded with the status code 302 but did not return more information",
  ],
  [
    "a text",
    response(500, " broken\n", "text/plain; charset=utf-8"),
    'an error on the server ("broken") has prevented the request from succeeding',
  ],
  [
    "an error that is no text",
    response(502, "{}"),
    'an error on the server ("unknown") has prevented the request from succeeding',
  ],
  [
    "a path that is not there",
    response(404, ""),
    "the server could not find the requested resource",
  ],
  ["a bad request", response(400, ""), "the server rejected our request for an unknown reason"],
  ["a refusal with words", response(403, "go away", "text/plain"), "go away"],
  ["a Status", response(500, JSON.stringify(status)), "no"],
])("responseText: %s is an error", (_, given, message) => {
  expect(() => responseText(given)).toThrow(expect.objectContaining({ message: message }));
});

each<[what: string, code: number, header: string, seconds: number | undefined]>([
  ["a busy webhook", 429, "3", 3],
  ["a broken one", 503, "0", 0],
  ["one that is content", 200, "3", undefined],
  ["one that names a date", 503, "Thu, 01 Jan 1970 00:00:00 GMT", undefined],
])("retryAfter: of %s", (_, code, header, seconds) => {
  expect(retryAfter({ status: code, headers: [["Retry-After", header]] })).toBe(seconds);
});
