import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { eventually } from "../../../../test/eventually.ts";
import { TestNetwork } from "../../connect/test-network.test-support.ts";
import { openTokenServer, start, type TokenServer } from "../token-server.test-support.ts";
import type { JWTAuthenticator } from "./authentication-configuration.ts";
import {
  issuerKey,
  jwtOptions,
  part,
  signedToken,
  TestIssuer,
  tokenWithHmac,
} from "./issuer.test-support.ts";

const hour = start + 3600;

const configuration = (
  url: string,
  change: Partial<JWTAuthenticator> & { readonly audiences?: readonly string[] } = {},
): JWTAuthenticator => {
  const { audiences = ["web"], ...rest } = change;
  return {
    issuer: {
      url,
      audiences,
      ...(audiences.length > 1 && { audienceMatchPolicy: "MatchAny" }),
      certificateAuthority,
    },
    claimMappings: {
      username: { claim: "sub", prefix: "oidc:" },
      groups: { claim: "groups", prefix: "oidc:" },
    },
    ...rest,
  };
};

/** What clients are told to trust; the network in this process compares it as a text. */
const certificateAuthority = `-----BEGIN CERTIFICATE-----\n${Buffer.from([0x30, 0]).toString("base64")}\n-----END CERTIFICATE-----\n`;

interface World extends TokenServer {
  readonly issuer: TestIssuer;
  readonly network: TestNetwork;
  /** The name of the user of a token, or the error of its review. */
  readonly say: (token: string, audiences?: readonly string[]) => Promise<unknown>;
}

async function openWorld(
  change: Parameters<typeof configuration>[1] = {},
  issuer = new TestIssuer(new TestNetwork(certificateAuthority)),
): Promise<World> {
  const { network } = issuer;
  const opened = await openTokenServer({
    network,
    jwt: jwtOptions(configuration(issuer.url, change)),
  });
  await eventually(() => expect(network.requested.length).toBeGreaterThan(0));
  // The issuer is discovered in the background.
  await eventually(async () => {
    const { error } = await opened.review(issuer.token({ aud: "web" }));
    expect(error).not.toContain("not initialized");
  });
  const say: World["say"] = async (token, audiences) => {
    const { error, user } = await opened.review(token, audiences);
    return error ?? user.username;
  };
  return { ...opened, issuer, network, say };
}

const valid = { sub: "jane", aud: "web", exp: hour };
const rejected = (error: string) => `[invalid bearer token, ${error}]`;

test("JwtAuthenticators: a token names its user, with the groups that its claims say", async () => {
  const { issuer, review, show } = await openWorld();
  const token = issuer.token({ ...valid, groups: ["a", "b"], jti: "id-1" });
  expect(await review(token)).toEqual({
    authenticated: true,
    user: {
      username: "oidc:jane",
      groups: ["oidc:a", "oidc:b", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=id-1"] },
    },
    audiences: ["api", "vault"],
  });
  expect((await show(token)).status).toBe(201);
});

each<[what: string, claims: object, outcome: string]>([
  ["a token that is valid", valid, "oidc:jane"],
  ["one that expires this second", { ...valid, exp: start }, "oidc:jane"],
  [
    "one that expired a second ago: there is no tolerance",
    { ...valid, exp: start - 1 },
    rejected(
      "oidc: verify token: oidc: token is expired (Token Expiry: 2025-12-31 23:59:59 +0000 UTC)",
    ),
  ],
  [
    "one that never expires",
    { sub: "jane", aud: "web" },
    rejected(
      "oidc: verify token: oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)",
    ),
  ],
  ["one from a clock that is a minute ahead", { ...valid, nbf: start + 60 }, "oidc:jane"],
  [
    "one from a clock that is further ahead",
    { ...valid, nbf: start + 61 },
    rejected(
      "oidc: verify token: oidc: current time 2026-01-01 00:00:00 +0000 UTC before the nbf (not before) time: 2026-01-01 00:01:01 +0000 UTC",
    ),
  ],
  [
    "one that was issued in the future, which is not looked at",
    { ...valid, iat: hour },
    "oidc:jane",
  ],
  [
    "one for somebody else",
    { ...valid, aud: "other" },
    rejected('oidc: verify token: oidc: expected audience "web" got ["other"]'),
  ],
  ["one for several", { ...valid, aud: ["other", "web"] }, "oidc:jane"],
  [
    "one for nobody",
    { sub: "jane", exp: hour },
    rejected('oidc: verify token: oidc: expected audience "web" got []'),
  ],
  [
    "one without a user",
    { aud: "web", exp: hour },
    rejected('oidc: parse username claims "sub": claim not present'),
  ],
  [
    "one whose user is no text",
    { ...valid, sub: 7 },
    rejected(
      'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
    ),
  ],
  [
    "one of another issuer, whom nobody knows",
    { ...valid, iss: "https://evil.test" },
    "invalid bearer token",
  ],
])("JwtAuthenticators: %s", async (_, claims, outcome) => {
  const { issuer, say } = await openWorld();
  expect(await say(issuer.token(claims))).toBe(outcome);
});

test("JwtAuthenticators: a token is valid only with a signature of the issuer's keys", async () => {
  const { issuer, say } = await openWorld();
  const [key] = issuer.keys;
  const token = issuer.token(valid);
  const [header = "", , signature = ""] = token.split(".");
  const unverified = rejected(
    "oidc: verify token: failed to verify signature: failed to verify id token signature",
  );
  const algorithms = '["ES256" "ES384" "ES512" "PS256" "PS384" "PS512" "RS256" "RS384" "RS512"]';
  const algorithm = (name: string) =>
    rejected(
      `oidc: verify token: oidc: id token signed with unsupported algorithm, expected ${algorithms} got "${name}"`,
    );
  const claims = { iss: issuer.url, ...valid };
  const cases: Record<string, [token: string, outcome: string]> = {
    none: [`${part({ alg: "none" })}.${part(claims)}.`, algorithm("none")],
    "none, in other letters": [
      `${part({ alg: "nOnE" })}.${part(claims)}.${signature}`,
      algorithm("nOnE"),
    ],
    "the public key as a secret": [
      tokenWithHmac(JSON.stringify(key?.webKey), claims),
      algorithm("HS256"),
    ],
    "no algorithm": [`${part({})}.${part(claims)}.${signature}`, algorithm("")],
    "claims that were changed": [
      `${header}.${part({ ...claims, sub: "root" })}.${signature}`,
      unverified,
    ],
    "a key of somebody else": [signedToken(issuerKey("one"), claims), unverified],
    "a key id that points elsewhere": [issuer.token(valid, { kid: "two" }), unverified],
    "a key in the header": [
      signedToken(issuerKey("evil"), claims, { jwk: issuerKey("evil").webKey, kid: undefined }),
      unverified,
    ],
    "a key set in the header": [
      signedToken(issuerKey("evil"), claims, { jku: "https://evil.test/keys" }),
      unverified,
    ],
    "a critical header": [issuer.token(valid, { crit: ["exp"] }), unverified],
    "another algorithm than its key's": [issuer.token(valid, { alg: "ES384" }), unverified],
  };
  for (const [what, [given, outcome]] of Object.entries(cases))
    expect({ what, outcome: await say(given) }).toEqual({ what, outcome });
  expect(issuer.network.requested.filter((url) => url.includes("evil"))).toEqual([]);
});

test.each(["RS256", "PS256", "PS512", "ES256", "ES384", "ES512"] as const)(
  "JwtAuthenticators: tokens may be signed with %s",
  async (algorithm) => {
    const keys = [issuerKey("k", algorithm)];
    const issuer = new TestIssuer(
      new TestNetwork(certificateAuthority),
      "https://issuer.test",
      keys,
    );
    const { say } = await openWorld({}, issuer);
    expect(await say(issuer.token(valid))).toBe("oidc:jane");
  },
);

test("JwtAuthenticators: what is no token, or an odd one, is rejected and costs little", async () => {
  const { issuer, say, review, network } = await openWorld();
  const before = network.requested.length;
  const claims = { iss: issuer.url, ...valid };
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const bombs = {
    dots: ".".repeat(1_000_000),
    "too many parts": `${issuer.token(valid)}.x`,
    "no JSON": `${part({ alg: "ES256" })}.${part("{")}.x`,
    "no object": `${part({ alg: "ES256" })}.${part("[]")}.x`,
    "deep claims": `${part({ alg: "ES256" })}.${part(`{"iss":"x","a":${deep}}`)}.x`,
    "no base64": `${part({ alg: "ES256" })}.${part(claims)}.!!`,
    "the JSON form": JSON.stringify({ payload: part(claims), signatures: [] }),
  };
  for (const [what, token] of Object.entries(bombs))
    expect({ what, outcome: await say(token) }).toEqual({ what, outcome: "invalid bearer token" });
  expect(network.requested.length).toBe(before);
  // Zipped content is not unzipped, because signed tokens have none.
  const zipped = issuer.token(valid, { zip: "DEF" });
  expect((await review(zipped)).authenticated).toBe(true);
});

test("JwtAuthenticators: keys rotate, and a token with a new key is accepted at once", async () => {
  const { issuer, say } = await openWorld();
  const old = issuer.token(valid);
  expect(await say(old)).toBe("oidc:jane");
  issuer.keys = [issuerKey("two"), ...issuer.keys];
  expect(await say(issuer.token({ ...valid, sub: "new" }))).toBe("oidc:new");
  expect(await say(old)).toBe("oidc:jane");
  issuer.keys = issuer.keys.slice(0, 1);
  const before = issuer.fetches;
  // The keys that were fetched last stay until a token needs others.
  expect(await say(old)).toBe("oidc:jane");
  expect(issuer.fetches).toBe(before);
});

test("JwtAuthenticators: a retired key is not accepted once the keys were fetched anew", async () => {
  const { issuer, say } = await openWorld();
  const old = issuer.token(valid);
  expect(await say(old)).toBe("oidc:jane");
  issuer.keys = [issuerKey("two")];
  expect(await say(issuer.token(valid))).toBe("oidc:jane");
  expect(await say(old)).toContain("failed to verify id token signature");
});

test("JwtAuthenticators: tokens with unknown keys make the server fetch keys a few times only", async () => {
  const { issuer, say, clock } = await openWorld();
  issuer.keyHeaders = { "Cache-Control": "public, max-age=3600" };
  expect(await say(issuer.token(valid))).toBe("oidc:jane");
  const before = issuer.fetches;
  for (let i = 0; i < 50; i++) await say(issuer.token(valid, { kid: `stranger-${i}` }));
  expect(issuer.fetches - before).toBeLessThanOrEqual(10);
  // A wrong signature of a key that is known and fresh is no reason to ask.
  const forged = signedToken(issuerKey("one"), { iss: issuer.url, ...valid });
  await clock.advance(600_000);
  const then = issuer.fetches;
  for (let i = 0; i < 5; i++) await say(forged);
  expect(issuer.fetches).toBe(then);
  // And those who have valid tokens do not notice.
  expect(await say(issuer.token({ ...valid, exp: hour }))).toBe("oidc:jane");
});

test("JwtAuthenticators: an issuer that is unavailable is discovered later, and its keys stay valid", async () => {
  const network = new TestNetwork(certificateAuthority);
  const issuer = new TestIssuer(network);
  const document = network.served.get(`${issuer.url}/.well-known/openid-configuration`);
  network.served.clear();
  const opened = await openTokenServer({ network, jwt: jwtOptions(configuration(issuer.url)) });
  await eventually(() => expect(opened.logged.join()).toContain("404 Code: not found"));
  expect((await opened.review(issuer.token(valid))).error).toBe(
    rejected("oidc: authenticator not initialized"),
  );
  new TestIssuer(network, issuer.url, [...issuer.keys]);
  expect(document).toBeDefined();
  await opened.clock.advance(10_000);
  await eventually(async () =>
    expect((await opened.review(issuer.token(valid))).authenticated).toBe(true),
  );
  network.served.clear();
  expect((await opened.review(issuer.token(valid))).authenticated).toBe(true);
});

test("JwtAuthenticators: a server that cannot be verified is not believed", async () => {
  const issuer = new TestIssuer(new TestNetwork("another authority"));
  const opened = await openTokenServer({
    network: issuer.network,
    jwt: jwtOptions(configuration(issuer.url)),
  });
  await eventually(() => expect(opened.logged.join()).toContain("discovering an issuer"));
  expect(issuer.network.requested).toEqual([]);
  expect((await opened.show(issuer.token(valid))).status).toBe(401);
});

test("JwtAuthenticators: a discovery document that names another issuer is not believed", async () => {
  const network = new TestNetwork(certificateAuthority);
  const issuer = new TestIssuer(network);
  network.served.set(`${issuer.url}/.well-known/openid-configuration`, () => ({
    body: JSON.stringify({ issuer: "https://other.test", jwks_uri: `${issuer.url}/keys` }),
  }));
  const opened = await openTokenServer({ network, jwt: jwtOptions(configuration(issuer.url)) });
  await eventually(() =>
    expect(opened.logged.join()).toContain(
      String.raw`expected \"https://issuer.test\" got \"https://other.test\"`,
    ),
  );
});

test("JwtAuthenticators: discovery documents may be elsewhere, and redirect", async () => {
  const network = new TestNetwork(certificateAuthority);
  const issuer = new TestIssuer(network, "https://issuer.test/realm");
  const document = network.served.get("https://issuer.test/realm/.well-known/openid-configuration");
  network.served.delete("https://issuer.test/realm/.well-known/openid-configuration");
  network.served.set("https://cluster.test/discovery", () => ({
    code: 302,
    headers: { Location: "/moved" },
    body: "",
  }));
  network.served.set("https://cluster.test/moved", () => document?.("") ?? { body: "" });
  const opened = await openTokenServer({
    network,
    jwt: jwtOptions({
      ...configuration(issuer.url),
      issuer: {
        url: issuer.url,
        discoveryURL: "https://cluster.test/discovery",
        certificateAuthority,
        audiences: ["web"],
      },
    }),
  });
  await eventually(async () =>
    expect((await opened.review(issuer.token(valid))).authenticated).toBe(true),
  );
});

test("JwtAuthenticators: several audiences are accepted, and other audiences of the API are not", async () => {
  const { issuer, say } = await openWorld({ audiences: ["web", "cli"] });
  expect(await say(issuer.token({ ...valid, aud: "cli" }))).toBe("oidc:jane");
  expect(await say(issuer.token({ ...valid, aud: "x" }))).toBe(
    rejected('oidc: verify token: oidc: expected audience in ["cli" "web"] got ["x"]'),
  );
  expect(await say(issuer.token(valid), ["someone"])).toBe("invalid bearer token");
});

test("JwtAuthenticators: groups that are elsewhere are looked up, with the token's credential", async () => {
  const { issuer, review, say, network } = await openWorld();
  network.served.set("https://groups.test/jane", () => ({
    body: issuer.token({ aud: "web", exp: hour, groups: ["far"] }),
  }));
  const distributed = (endpoint: string) => ({
    ...valid,
    _claim_names: { groups: "src" },
    _claim_sources: { src: { endpoint, access_token: "secret" } },
  });
  await eventually(async () =>
    expect(
      (await review(issuer.token(distributed("https://groups.test/jane")))).user.groups,
    ).toEqual(["oidc:far", "system:authenticated"]),
  );
  expect(network.requested).toContain("https://groups.test/jane Bearer secret");
  network.served.set("https://groups.test/forged", () => ({
    body: signedToken(issuerKey("one"), {
      iss: issuer.url,
      aud: "web",
      exp: hour,
      groups: ["admins"],
    }),
  }));
  expect(await say(issuer.token(distributed("https://groups.test/forged")))).toContain(
    "oidc: could not expand distributed claims: verify distributed claim token: failed to verify signature",
  );
  expect(await say(issuer.token(distributed("http://groups.test/jane")))).toContain(
    'while getting distributed claim "groups": Get "http://groups.test/jane": unsupported protocol scheme "http"',
  );
});

test("JwtAuthenticators: are replaced once all issuers are discovered; else the last good ones stay", async () => {
  const { issuer, say, server, network, clock } = await openWorld();
  const other = new TestIssuer(network, "https://other.test");
  const [first] = [jwtOptions(configuration(issuer.url)).authenticators];
  const both = [...first, ...jwtOptions(configuration(other.url)).authenticators];
  expect(await say(other.token(valid))).toBe("invalid bearer token");
  await server.replaceJwtIssuers({ jwt: both });
  expect([await say(other.token(valid)), await say(issuer.token(valid))]).toEqual([
    "oidc:jane",
    "oidc:jane",
  ]);
  const gone = jwtOptions(configuration("https://gone.test")).authenticators;
  const replacing = server.replaceJwtIssuers({ jwt: gone });
  const failed = expect(replacing).rejects.toThrow(
    'oidc: authenticator for issuer "https://gone.test" is not healthy: 404 Code: not found',
  );
  for (let i = 0; i < 8; i++) {
    await eventually(() => expect(network.requested.at(-1)).toContain("gone.test"));
    await clock.advance(10_000);
  }
  await failed;
  expect(await say(other.token(valid))).toBe("oidc:jane");
  await server.replaceJwtIssuers({ jwt: [] });
  expect(await say(other.token(valid))).toBe("invalid bearer token");
});
