import { expect, test } from "vitest";
import { writeJwt } from "../../schema/values/jwt.ts";
import type { TokenIssuer } from "../authentication/service-account-tokens.ts";
import { testKey } from "../authentication/token-issuer.test-support.ts";
import {
  issuer,
  key,
  openTokenServer,
  partOf,
  start,
  tokenPath,
} from "../authentication/token-server.test-support.ts";
import { send } from "../in-process.test-support.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }], ...spec },
});
const ref = (kind: string, name: string, more: object = {}) => ({
  boundObjectRef: { kind, apiVersion: "v1", name, ...more },
});

test("issueToken: a token has a subject, an expiry and audiences", async () => {
  const { request, robot } = await openTokenServer();
  const { status, text } = await request();
  const answer = JSON.parse(text);
  const { uid } = robot.metadata;
  expect([status, answer]).toEqual([
    201,
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {
        name: "robot",
        namespace: "default",
        uid,
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: expect.any(Array),
      },
      spec: { audiences: ["api", "vault"], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.any(String), expirationTimestamp: "2026-01-01T01:00:00Z" },
    },
  ]);
  const { token } = answer.status;
  expect(partOf(token, 0)).toEqual({ alg: "ES256", kid: expect.stringMatching(/^[\w-]{43}$/) });
  expect(partOf(token, 1)).toEqual({
    aud: ["api", "vault"],
    exp: start + 3600,
    iat: start,
    iss: "https://issuer",
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot", uid } },
    nbf: start,
    sub: "system:serviceaccount:default:robot",
  });
});

const refusals: [what: string, spec: object, metadata: object, message: string][] = [
  [
    "another name",
    {},
    { name: "x" },
    'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
  ],
  [
    "another namespace",
    {},
    { namespace: "x" },
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "another uid",
    {},
    { uid: "x" },
    'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (x) does not match the UID of the service account (UID)',
  ],
  [
    "a lifetime that is too short",
    { expirationSeconds: 599 },
    {},
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  ["an absent secret", ref("Secret", "x"), {}, 'secrets "x" not found'],
  ["an absent node", ref("Node", "x"), {}, 'nodes "x" not found'],
  ["no name", ref("Pod", ""), {}, "Name parameter required."],
  ["an invalid name", ref("Pod", "a/b"), {}, `Name parameter invalid: "a/b": may not contain '/'`],
  [
    "a kind to which tokens cannot be bound",
    ref("ConfigMap", "x"),
    {},
    "cannot bind token to object of type /v1, Kind=ConfigMap",
  ],
  [
    "a group to which tokens cannot be bound",
    ref("Pod", "x", { apiVersion: "apps/v1" }),
    {},
    "cannot bind token to object of type apps/v1, Kind=Pod",
  ],
  [
    "a pod of another service account",
    ref("Pod", "other"),
    {},
    'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
  ],
  [
    "a pod with another uid",
    ref("Pod", "own", { uid: "x" }),
    {},
    'Operation cannot be fulfilled on Pod "own": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
  ],
];
test.each(refusals)("issueToken: rejects %s", async (_, spec, metadata, message) => {
  const { create, request, robot } = await openTokenServer();
  await create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "other" } });
  await create(pods, pod("own"));
  await create(pods, pod("other", { serviceAccountName: "other" }));
  const answer = JSON.parse((await request(spec, metadata)).text);
  expect(answer.message.replace(robot.metadata.uid, "UID")).toBe(message);
});

test("issueToken: the namespace and the account must exist", async () => {
  const { post } = await openTokenServer();
  const messages = ["namespaces/x/serviceaccounts/y", "namespaces/default/serviceaccounts/y"].map(
    async (path) => JSON.parse((await post(`/api/v1/${path}/token`, { spec: {} })).text).message,
  );
  expect(await Promise.all(messages)).toEqual([
    'namespaces "x" not found',
    'serviceaccounts "y" not found',
  ]);
});

test("issueToken: a token of a pod names its node, whose uid may be unknown", async () => {
  const { create, issue } = await openTokenServer();
  const node = await create("/api/v1/nodes", { metadata: { name: "n1" } });
  await create(pods, pod("a", { nodeName: "n1" }));
  await create(pods, pod("b", { nodeName: "n2" }));
  const nodes = [await issue(ref("Pod", "a")), await issue(ref("Pod", "b"))].map(
    (token) => partOf(token, 1)["kubernetes.io"].node,
  );
  expect(nodes).toEqual([{ name: "n1", uid: node.metadata.uid }, { name: "n2" }]);
});

const year = 365 * 24 * 3600;
const lives: [what: string, spec: object, exp: number, warnAfter: number | undefined][] = [
  ["for a pod and the server lasts a year", ref("Pod", "a"), year, 3607],
  [
    "for a pod and some of the server's audiences lasts a year",
    { ...ref("Pod", "a"), audiences: ["vault"] },
    year,
    3607,
  ],
  [
    "for a pod and other audiences lasts as requested",
    { ...ref("Pod", "a"), audiences: ["api", "x"] },
    3607,
    undefined,
  ],
  ["for no pod lasts as requested", {}, 3607, undefined],
  [
    "with another lifetime lasts as requested",
    { ...ref("Pod", "a"), expirationSeconds: 3608 },
    3608,
    undefined,
  ],
];
test.each(lives)("issueToken: a token %s", async (_, spec, exp, warnAfter) => {
  const { create, request } = await openTokenServer();
  await create(pods, pod("a"));
  const { status } = JSON.parse((await request({ expirationSeconds: 3607, ...spec })).text);
  const claims = partOf(status.token, 1);
  const warned = claims["kubernetes.io"].warnafter;
  expect([claims.exp - start, warned && warned - start]).toEqual([exp, warnAfter]);
  const told = exp === year ? 3607 : exp;
  expect(Date.parse(status.expirationTimestamp) / 1000 - start).toBe(told);
});

test("issueToken: a dry run returns a token, too", async () => {
  const { post, review } = await openTokenServer();
  const { status, text } = await post(`${tokenPath}?dryRun=All`, { spec: {} });
  expect(status).toBe(201);
  expect((await review(JSON.parse(text).status.token)).authenticated).toBe(true);
});

test("issueToken: tokens can be requested, but not read", async () => {
  const { server } = await openTokenServer();
  const statuses = ["GET", "PUT", "DELETE"].map(
    async (method) => (await send(server, { method, path: tokenPath })).status,
  );
  expect(await Promise.all(statuses)).toEqual([405, 405, 405]);
});

test("issueToken: a lifetime above the maximum is shortened, with a warning", async () => {
  const { request } = await openTokenServer({ tokenIssuer: { ...issuer, maxSeconds: 7200 } });
  const { headers, text } = await request({ expirationSeconds: 10_000 });
  const { spec, status } = JSON.parse(text);
  expect([spec.expirationSeconds, status.expirationTimestamp]).toEqual([
    7200,
    "2026-01-01T02:00:00Z",
  ]);
  expect(partOf(status.token, 1).exp).toBe(start + 7200);
  expect(headers.warning).toEqual([
    '299 - "requested expiration of 10000 seconds shortened to 7200 seconds"',
  ]);
  expect((await request({ expirationSeconds: 7200 })).headers).not.toHaveProperty("warning");
});

test("issueToken: tokens of pods are not extended if that is disabled", async () => {
  const extendsPodTokens = false;
  const { request, create } = await openTokenServer({
    tokenIssuer: { ...issuer, extendsPodTokens },
  });
  await create(pods, pod("p"));
  const { text } = await request({ ...ref("Pod", "p"), expirationSeconds: 3607 });
  const claims = partOf(JSON.parse(text).status.token, 1);
  expect([claims.exp, claims["kubernetes.io"].warnafter]).toEqual([start + 3607, undefined]);
});

test("issueToken: others may sign, whose keys are learned when a token names an unknown one", async () => {
  const external = testKey("ES256");
  const known: TokenIssuer["keys"][number][] = [];
  let learned = 0;
  const served = await openTokenServer({
    tokenIssuer: {
      ...issuer,
      mostExtendedSeconds: 7200,
      get keys() {
        return [...known];
      },
      signToken: async (claims) => writeJwt(external, claims),
      async refreshKeys() {
        learned++;
        if (!known.includes(external)) known.push(external, { ...key, isUnpublished: true });
      },
    },
  });
  await served.create(pods, pod("p"));
  const token = await served.issue({ ...ref("Pod", "p"), expirationSeconds: 3607 });
  expect([partOf(token, 0).kid, partOf(token, 1).exp]).toEqual([external.id, start + 7200]);
  expect((await served.show(token)).status).toBe(201);
  expect((await served.show(token)).status).toBe(201);
  expect(learned).toBe(1);
  const { text } = await send(served.server, {
    path: "/openid/v1/jwks",
    headers: { accept: "*/*" },
  });
  expect(JSON.parse(text).keys.map(({ kid }: { kid: string }) => kid)).toEqual([external.id]);
});
