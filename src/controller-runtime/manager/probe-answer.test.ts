import { expect, test } from "vitest";
import { healthReport } from "./health.ts";
import { probeAnswer } from "./probe-answer.ts";

const fine = (): void => {};
const broken = (): void => {
  throw new Error("the disk is full");
};
const manager = {
  health: () => healthReport({ ping: fine, disk: broken }),
  ready: () => healthReport({ ping: fine }),
  metricsText: () => "workqueue_depth 0\n",
};
const answer = (path: string, query = ""): string => {
  const { status, text } = probeAnswer(manager, path, new URLSearchParams(query));
  return `${status} ${text}`;
};

test.each([
  ["/readyz", "", "200 ok"],
  ["/readyz", "verbose", "200 [+]ping ok\nreadyz check passed\n"],
  ["/readyz/ping", "", "200 ok"],
  ["/readyz/disk", "", "404 404 page not found\n"],
  ["/healthz", "", "500 [+]ping ok\n[-]disk failed: reason withheld\nhealthz check failed\n"],
  ["/healthz", "exclude=disk", "200 ok"],
  [
    "/healthz",
    "exclude=disk&verbose",
    "200 [+]ping ok\n[+]disk excluded: ok\nhealthz check passed\n",
  ],
  ["/healthz/disk", "", "500 internal server error: the disk is full\n"],
  ["/healthz/toString", "", "404 404 page not found\n"],
  ["/metrics", "", "200 workqueue_depth 0\n"],
  ["/", "", "404 404 page not found\n"],
])("who asks a manager for %s?%s is answered", (path, query, expected) => {
  expect(answer(path, query)).toBe(expected);
});
