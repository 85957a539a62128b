import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { writeJwt } from "../../schema/values/jwt.ts";
import { send } from "../in-process.test-support.ts";
import { testKey } from "./token-issuer.test-support.ts";
import {
  encodePart,
  key,
  oldKey,
  openTokenServer,
  partOf,
  start,
  type TokenServer,
} from "./token-server.test-support.ts";

const credential = "authentication.kubernetes.io/credential-id";
const podSpec = { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] };
const broken = "go-jose/go-jose: error in cryptographic primitive";
const stranger = testKey("ES256");

/** Claims of a token of the robot. */
const claims = ({ robot }: TokenServer, more: object = {}): object => ({
  aud: ["api"],
  exp: start + 600,
  iat: start,
  iss: "https://issuer",
  jti: "one",
  "kubernetes.io": {
    namespace: "default",
    serviceaccount: { name: "robot", uid: robot.metadata.uid },
  },
  nbf: start,
  sub: "system:serviceaccount:default:robot",
  ...more,
});

test("a token that was issued names its user, in requests and reviews", async () => {
  const served = await openTokenServer();
  const token = await served.issue();
  const user = {
    username: "system:serviceaccount:default:robot",
    uid: served.robot.metadata.uid,
    groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    extra: { [credential]: [`JTI=${partOf(token, 1).jti}`] },
  };
  expect((await served.show(token)).body.status.userInfo).toEqual(user);
  const audiences = ["api", "vault"];
  expect(await served.review(token)).toEqual({ authenticated: true, user, audiences });
});

const tokens: [what: string, token: (served: TokenServer) => string, error: string | undefined][] =
  [
    ["one of a key that signs no more", (s) => writeJwt(oldKey, claims(s)), undefined],
    [
      "one of another issuer that is accepted",
      (s) => writeJwt(key, claims(s, { iss: "https://old" })),
      undefined,
    ],
    ["one that names no key", (s) => resigned(claims(s), { alg: "RS256" }), undefined],
    ["one for a single audience", (s) => writeJwt(key, claims(s, { aud: "vault" })), undefined],
    ["one for no audience", (s) => writeJwt(key, claims(s, { aud: undefined })), undefined],
    ["an end a minute ago", (s) => writeJwt(key, claims(s, { exp: start - 60 })), undefined],
    [
      "an end before that",
      (s) => writeJwt(key, claims(s, { exp: start - 61 })),
      "service account token has expired",
    ],
    ["a start in a minute", (s) => writeJwt(key, claims(s, { nbf: start + 60 })), undefined],
    [
      "a start after that",
      (s) => writeJwt(key, claims(s, { nbf: start + 61 })),
      "service account token is not valid yet",
    ],
    [
      "made in the future",
      (s) => writeJwt(key, claims(s, { iat: start + 61 })),
      "service account token is issued in the future",
    ],
    [
      "another issuer",
      (s) => writeJwt(key, claims(s, { iss: "https://evil" })),
      "invalid bearer token",
    ],
    ["no issuer", (s) => writeJwt(key, claims(s, { iss: undefined })), "invalid bearer token"],
    [
      "other audiences",
      (s) => writeJwt(key, claims(s, { aud: ["x", "y"] })),
      'token audiences ["x" "y"] is invalid for the target audiences ["api" "vault"]',
    ],
    [
      "a key that nobody knows",
      (s) => writeJwt(stranger, claims(s)),
      "invalid signature, no keys found",
    ],
    [
      "a stranger's signature under the name of a key",
      (s) => writeJwt({ ...stranger, id: key.id }, claims(s)),
      broken,
    ],
    [
      "a stranger's signature under no name",
      (s) => writeJwt({ ...stranger, id: "" }, claims(s)),
      broken,
    ],
    ["alg none", (s) => `${encodePart({ alg: "none" })}.${encodePart(claims(s))}.`, broken],
    [
      "alg none with a key's name",
      (s) => `${encodePart({ alg: "none", kid: key.id })}.${encodePart(claims(s))}.`,
      broken,
    ],
    ["no alg", (s) => resigned(claims(s), { kid: oldKey.id }), broken],
    [
      "another algorithm of the same key type",
      (s) => resigned(claims(s), { alg: "PS256", kid: oldKey.id }),
      broken,
    ],
    ["a hash keyed with the public key", (s) => hashed(claims(s)), broken],
    [
      "something critical that is not understood",
      (s) => resigned(claims(s), { alg: "RS256", crit: ["x"] }),
      broken,
    ],
    [
      "claims of other types",
      (s) => writeJwt(key, claims(s, { exp: "tomorrow" })),
      "service account token claims have unexpected types",
    ],
    [
      "claims that were changed",
      (s) => changed(writeJwt(key, claims(s)), claims(s, { exp: start + 9999 })),
      broken,
    ],
    ["two parts", () => "a.b", "invalid bearer token"],
    ["four parts", (s) => `${writeJwt(key, claims(s))}.x`, "invalid bearer token"],
    ["padding", (s) => `${writeJwt(key, claims(s))}==`, "invalid bearer token"],
    [
      "another account",
      (s) => writeJwt(key, claims(s, ofAccount("nobody", "1"))),
      'serviceaccounts "nobody" not found',
    ],
  ];
test.each(tokens)("a token with %s", async (_, make, error) => {
  const served = await openTokenServer();
  const token = make(served);
  const { error: told, authenticated = false } = await served.review(token);
  expect([told, authenticated]).toEqual([error && refusal(error), error === undefined]);
  const { status, body } = await served.show(token);
  expect([status, body.message]).toEqual(
    error === undefined ? [201, undefined] : [401, "Unauthorized"],
  );
});

/** What a review says, where this is what there is against a token. */
const refusal = (error: string): string =>
  error === "invalid bearer token" ? error : `[invalid bearer token, ${error}]`;

const ofAccount = (name: string, uid: string) => ({
  "kubernetes.io": { namespace: "default", serviceaccount: { name, uid } },
});

/** Signed by the old key, under another header. */
function resigned(payload: object, header: object): string {
  const signed = `${encodePart(header)}.${encodePart(payload)}`;
  return `${signed}.${Buffer.from(oldKey.sign(signed)).toString("base64url")}`;
}

function hashed(payload: object): string {
  const signed = `${encodePart({ alg: "HS256", kid: oldKey.id })}.${encodePart(payload)}`;
  const secret = JSON.stringify(oldKey.parameters);
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

const changed = (token: string, payload: object): string => {
  const [header, , signature] = token.split(".");
  return `${header}.${encodePart(payload)}.${signature}`;
};

test("a token ends with its time, though it was accepted before", async () => {
  const served = await openTokenServer();
  const token = await served.issue({ expirationSeconds: 600 });
  expect((await served.show(token)).status).toBe(201);
  await served.clock.advance(660_000);
  expect((await served.show(token)).status).toBe(201);
  await served.clock.advance(1_000);
  expect((await served.show(token)).status).toBe(401);
});

const bindings: [kind: string, path: string, object: object][] = [
  ["Pod", "/api/v1/namespaces/default/pods", { spec: podSpec }],
  ["Secret", "/api/v1/namespaces/default/secrets", {}],
  ["Node", "/api/v1/nodes", {}],
];
test.each(bindings)(
  "a token bound to a %s ends with it, and is not another's of that name",
  async (kind, path, object) => {
    const served = await openTokenServer();
    const what = kind.toLowerCase();
    const make = () => served.create(path, { metadata: { name: "a" }, ...object });
    const first = await make();
    const token = await served.issue({ boundObjectRef: { kind, apiVersion: "v1", name: "a" } });
    expect(partOf(token, 1)["kubernetes.io"][what]).toEqual({ name: "a", uid: first.metadata.uid });
    const named =
      kind === "Secret"
        ? {}
        : {
            [`authentication.kubernetes.io/${what}-name`]: ["a"],
            [`authentication.kubernetes.io/${what}-uid`]: [first.metadata.uid],
          };
    const {
      status: { userInfo },
    } = (await served.show(token)).body;
    expect(userInfo.extra).toEqual({ [credential]: [expect.any(String)], ...named });

    await send(served.server, { method: "DELETE", path: `${path}/a?gracePeriodSeconds=0` });
    expect((await served.review(token)).error).toBe(
      refusal("service account token has been invalidated"),
    );
    const second = await make();
    expect((await served.review(token)).error).toBe(
      refusal(
        `${what} UID (${second.metadata.uid}) does not match service account ${what} ref claim (${first.metadata.uid})`,
      ),
    );
    expect((await served.show(token)).status).toBe(401);
  },
);

test("a token ends with its service account", async () => {
  const served = await openTokenServer();
  const token = await served.issue();
  const path = "/api/v1/namespaces/default/serviceaccounts";
  await send(served.server, { method: "DELETE", path: `${path}/robot` });
  expect((await served.review(token)).error).toBe(refusal('serviceaccounts "robot" not found'));
  const { metadata } = await served.create(path, { metadata: { name: "robot" } });
  expect((await served.review(token)).error).toBe(
    refusal(
      `service account UID (${metadata.uid}) does not match claim (${served.robot.metadata.uid})`,
    ),
  );
});

test("an account that is held by a finalizer loses its tokens a minute after it was deleted", async () => {
  const served = await openTokenServer();
  const path = "/api/v1/namespaces/default/serviceaccounts";
  await served.create(path, { metadata: { name: "held", finalizers: ["example.com/x"] } });
  const { status } = await served.create(`${path}/held/token`, { spec: {} });
  await send(served.server, { method: "DELETE", path: `${path}/held` });
  await served.clock.advance(60_000);
  expect((await served.review(status.token)).authenticated).toBe(true);
  await served.clock.advance(1_000);
  expect((await served.review(status.token)).error).toBe(
    refusal("service account default/held has been deleted"),
  );
});

test("a review for other audiences than the token's refuses it; for some of them names those", async () => {
  const served = await openTokenServer();
  const token = await served.issue({ audiences: ["a", "b"] });
  expect((await served.review(token, ["b", "c"])).audiences).toEqual(["b"]);
  expect((await served.review(token)).error).toBe(
    refusal('token audiences ["a" "b"] is invalid for the target audiences ["api" "vault"]'),
  );
  expect((await served.show(token)).status).toBe(401);
});

test("neither logs nor refusals hold a token", async () => {
  const served = await openTokenServer();
  const good = await served.issue();
  const bad = writeJwt(stranger, claims(served));
  const answers = [await served.show(good), await served.show(bad), await served.show("s3cret")];
  expect(answers.map(({ status }) => status)).toEqual([201, 401, 401]);
  expect(served.logged).toHaveLength(2);
  const written = JSON.stringify([served.logged, answers]);
  for (const part of [good, bad].flatMap((token) => token.split(".")).concat("s3cret"))
    expect(written).not.toContain(part);
});
