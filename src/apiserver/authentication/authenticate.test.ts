import { expect, test } from "vitest";
import { toApiRequest } from "../in-process.test-support.ts";
import type { User } from "../request/identity.ts";
import type { ApiRequest, Peer } from "../request/request.ts";
import { type Authentication, authenticate, authenticateToken } from "./authenticate.ts";
import { anyOf, forServer, refused } from "./token-authenticator.ts";

const jane: User = { name: "jane", groups: ["devs", "system:authenticated"] };
const nobody: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };
const robot: User = { name: "robot", groups: ["system:authenticated"] };

const authentication = (refusals: string[] = []): Authentication => ({
  tokens: anyOf([
    { authenticate: (token) => refused(token === "odd" ? "is odd" : "is not even") },
    forServer(["api"], (token) => (token === "good" ? { name: "robot", groups: [] } : undefined)),
    { authenticate: (token) => refused(token === "odd" ? "is odd" : "is nobody's") },
  ]),
  audiences: ["api"],
  anonymous: true,
  onRefused: (error) => refusals.push(error),
});

const extraSpace =
  "the provided Authorization header contains extra space before the bearer token, and is ignored";
const certificate: Peer = { commonName: "jane", organizations: ["devs"] };
const requests: [
  what: string,
  shown: Partial<ApiRequest>,
  token: string | null,
  user: unknown,
  told?: string[],
][] = [
  ["a certificate names its user", { peer: certificate }, null, jane],
  [
    "a certificate counts, whatever token comes with it",
    { peer: certificate },
    "Bearer nope",
    jane,
  ],
  ["who shows nothing is anonymous", {}, null, nobody],
  ["an empty token is nothing", {}, "Bearer ", nobody],
  ["another scheme is nothing", {}, "Basic good", nobody],
  ["a token after two spaces is ignored, with a warning", {}, "Bearer  good", nobody, [extraSpace]],
  ["a token names its user, whoever else refuses it", {}, "bEARER good", robot],
  ["what follows a token does not count", {}, "Bearer good for nothing", robot],
  ["a token helps who shows a bad certificate", { peerError: "x" }, "Bearer good", robot],
  [
    "an unknown token is rejected",
    {},
    "bearer nope",
    "Unauthorized",
    ["[invalid bearer token, is not even, is nobody's]"],
  ],
  [
    "equal errors of several authenticators are reported once",
    {},
    "bearer odd",
    "Unauthorized",
    ["[invalid bearer token, is odd]"],
  ],
  [
    "a bad certificate is refused",
    { peerError: "x509: expired" },
    null,
    "Unauthorized",
    ["x509: expired"],
  ],
];
const noted = (warnings: string[] = []) => ({ warnings, annotate: () => {} });

test.each(requests)("authenticate: %s", async (_, shown, authorization, user, told = []) => {
  const request = { ...toApiRequest({ path: "/", headers: { authorization } }), peer: undefined };
  const texts: string[] = [];
  const outcome = authenticate({ ...request, ...shown }, authentication(texts), noted(texts)).catch(
    (error: Error) => error.message,
  );
  expect(await outcome).toEqual(user);
  expect(texts).toEqual(told);
});

test("authenticate: a user named system:anonymous is not added to the authenticated group", async () => {
  const peer = { commonName: "system:anonymous", organizations: [] };
  const request = { ...toApiRequest({ path: "/" }), peer };
  expect(await authenticate(request, authentication(), noted())).toEqual({ ...nobody, groups: [] });
});

const reviews: [token: string, audiences: string[], outcome: unknown][] = [
  ["good", ["other", "api"], { user: robot, audiences: ["api"] }],
  ["good", ["other"], "[invalid bearer token, is not even, is nobody's]"],
  [" good", ["other"], { user: nobody, audiences: ["other"] }],
];
test.each(reviews)("authenticateToken: %j for %j", async (token, audiences, outcome) => {
  expect(await authenticateToken(authentication(), token, audiences)).toEqual(outcome);
});

test("authenticateToken: a token without any error or user is invalid", async () => {
  const nobodyKnows = { ...authentication(), tokens: anyOf([]) };
  expect(await authenticateToken(nobodyKnows, "x", ["api"])).toBe("invalid bearer token");
});

test("authenticate: without anonymous access, requests without credentials are rejected and not logged", async () => {
  const refusals: string[] = [];
  const strict = { ...authentication(refusals), anonymous: false };
  const { peer: _, ...request } = toApiRequest({ path: "/" });
  await expect(
    authenticate({ ...request, peer: undefined }, strict, noted()),
  ).rejects.toMatchObject({
    reason: "Unauthorized",
  });
  expect(refusals).toEqual([]);
  expect(await authenticateToken(strict, "", ["api"])).toBe("");
});
