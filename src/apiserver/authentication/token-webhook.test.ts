import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { type Served, TestNetwork } from "../connect/test-network.test-support.ts";
import { openTokenServer } from "./token-server.test-support.ts";
import type { TokenReviewVersion } from "./token-webhook.ts";

const url = "https://webhook.test/review?timeout=30s";

async function openWorld(
  respond: (spec: {
    readonly token: string;
    readonly audiences: readonly string[];
  }) => object | Served,
  version: TokenReviewVersion = "v1",
) {
  const network = new TestNetwork();
  const reviews: unknown[] = [];
  network.served.set(url, (body) => {
    const review = JSON.parse(body);
    reviews.push(review);
    const answer = respond(review.spec);
    if ("body" in answer) return answer as Served;
    return { body: JSON.stringify({ ...review, status: answer }) };
  });
  const server = {
    url: "https://webhook.test/review/",
    identity: async () => ({ tls: {}, authorization: "Bearer ours" }),
  };
  const tokenWebhook = { server, version, cacheTtlMs: 120_000 };
  const opened = await openTokenServer({ network, tokenWebhook });
  return { ...opened, network, reviews };
}

const authenticated = {
  authenticated: true,
  user: { username: "jane", uid: "1", groups: ["devs"], extra: { a: ["b"] } },
};

test("tokenWebhook: a token that nobody else knows is reviewed, with our credentials", async () => {
  const { review, reviews, network } = await openWorld(() => authenticated, "v1beta1");
  expect(await review("secret")).toEqual({
    authenticated: true,
    user: {
      username: "jane",
      uid: "1",
      groups: ["devs", "system:authenticated"],
      extra: { a: ["b"] },
    },
    audiences: ["api", "vault"],
  });
  expect(reviews).toEqual([
    {
      kind: "TokenReview",
      apiVersion: "authentication.k8s.io/v1beta1",
      metadata: {},
      spec: { token: "secret", audiences: ["api", "vault"] },
      status: { user: {} },
    },
  ]);
  expect(network.requested).toEqual([`${url} Bearer ours`]);
});

each<[what: string, answer: object | Served, outcome: unknown]>([
  ["a token that it does not know", { authenticated: false }, "invalid bearer token"],
  [
    "a token that it rejects, with its reason",
    { authenticated: false, error: "revoked" },
    "[invalid bearer token, revoked]",
  ],
  ["a token for somebody else", { ...authenticated, audiences: ["other"] }, "invalid bearer token"],
  ["a token for one of us", { ...authenticated, audiences: ["vault", "other"] }, ["vault"]],
  [
    "an error of its own",
    { code: 403, headers: { "Content-Type": "text/plain" }, body: "go away" },
    "[invalid bearer token, go away]",
  ],
  [
    "something else than a review",
    { body: '{"kind":"Pod","apiVersion":"v1"}' },
    expect.stringContaining('no kind "Pod" is registered for version "v1"'),
  ],
  [
    "a status of the wrong type",
    { authenticated: "yes" },
    expect.stringContaining("cannot unmarshal string into Go"),
  ],
])("tokenWebhook: %s", async (_, answer, outcome) => {
  const { review } = await openWorld(() => answer);
  const { error, audiences } = await review("t");
  expect(error ?? audiences).toEqual(outcome);
});

test("tokenWebhook: outcomes are kept for a while, errors are not", async () => {
  let answer: object = authenticated;
  const { review, reviews, clock } = await openWorld(() => answer);
  const all = await Promise.all(Array.from({ length: 5 }, () => review("t")));
  expect(all.every((one) => one.authenticated)).toBe(true);
  expect(reviews.length).toBe(1);
  answer = { authenticated: false };
  expect((await review("t")).authenticated).toBe(true);
  expect((await review("t", ["vault"])).authenticated).toBeUndefined();
  await clock.advance(120_000);
  expect((await review("t")).authenticated).toBeUndefined();
  expect(reviews.length).toBe(3);
  answer = { code: 403, body: "" };
  await review("other");
  answer = authenticated;
  expect((await review("other")).authenticated).toBe(true);
});

test("tokenWebhook: a failure of the server is retried, five times in all", async () => {
  let failures = 4;
  const failing = { code: 500, headers: { "Content-Type": "text/plain" }, body: "down" };
  const { review, reviews, clock } = await openWorld(() =>
    failures-- > 0 ? failing : authenticated,
  );
  const reviewed = review("t");
  await clock.advance(30_000);
  expect((await reviewed).authenticated).toBe(true);
  expect(reviews.length).toBe(5);
  failures = 9;
  const failed = review("other");
  await clock.advance(30_000);
  expect((await failed).error).toBe(
    '[invalid bearer token, an error on the server ("down") has prevented the request from succeeding]',
  );
  expect(reviews.length).toBe(10);
});
