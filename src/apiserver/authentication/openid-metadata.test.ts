import { createPublicKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { send } from "../in-process.test-support.ts";
import { issuer, key, oldKey, openTokenServer } from "./token-server.test-support.ts";

const cached = "public, max-age=3600";

test("/.well-known/openid-configuration: shows the issuer and the URL of its keys", async () => {
  const { server } = await openTokenServer();
  const { status, headers, text } = await send(server, {
    path: "/.well-known/openid-configuration",
  });
  expect([status, headers]).toEqual([
    200,
    { "content-type": "application/json", "cache-control": cached, "audit-id": expect.any(String) },
  ]);
  expect(text).toBe(
    JSON.stringify({
      issuer: "https://issuer",
      jwks_uri: "https://127.0.0.1:6443/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    }),
  );
});

test("/openid/v1/jwks: the keys, by which anybody can verify a token", async () => {
  const { server, issue } = await openTokenServer();
  const { headers, text } = await send(server, {
    path: "/openid/v1/jwks/",
    headers: { accept: null },
  });
  expect(headers).toEqual({
    "content-type": "application/jwk-set+json",
    "cache-control": cached,
    "audit-id": expect.any(String),
  });
  const { keys } = JSON.parse(text);
  expect(keys).toEqual([
    { use: "sig", kid: key.id, alg: "ES256", ...key.parameters },
    { use: "sig", kid: oldKey.id, alg: "RS256", ...oldKey.parameters },
  ]);
  expect(Object.keys(keys[0])).toEqual(["use", "kty", "kid", "crv", "alg", "x", "y"]);
  expect(Object.keys(keys[1])).toEqual(["use", "kty", "kid", "alg", "n", "e"]);
  const [header, claims, signature = ""] = (await issue()).split(".");
  const published = createPublicKey({ key: keys[0], format: "jwk" });
  const how = { key: published, dsaEncoding: "ieee-p1363" } as const;
  const bytes = Buffer.from(signature, "base64url");
  expect(verify("sha256", Buffer.from(`${header}.${claims}`), how, bytes)).toBe(true);
});

const refusals: [method: string, path: string, accept: string, status: number, message: string][] =
  [
    [
      "GET",
      "/openid/v1/jwks",
      "application/json",
      406,
      "406: Not Acceptable\n\nAvailable representations: application/jwk-set+json",
    ],
    [
      "GET",
      "/.well-known/openid-configuration",
      "text/html",
      406,
      "406: Not Acceptable\n\nAvailable representations: application/json",
    ],
    [
      "POST",
      "/openid/v1/jwks",
      "*/*",
      405,
      "the server does not allow this method on the requested resource",
    ],
  ];
test.each(refusals)("%s %s as %s: %i", async (method, path, accept, status, message) => {
  const { server } = await openTokenServer();
  const answer = await send(server, { method, path, headers: { accept } });
  expect([answer.status, JSON.parse(answer.text).message]).toEqual([status, message]);
});

test.each(["kubernetes/serviceaccount", "http://issuer", "https://issuer?x", "https://issuer#x"])(
  "an issuer such as %s, which is no https URL, has no metadata",
  async (name) => {
    const { server } = await openTokenServer({ tokenIssuer: { ...issuer, issuers: [name] } });
    const { status } = await send(server, { path: "/openid/v1/jwks" });
    const { paths } = JSON.parse((await send(server, { path: "/" })).text);
    expect([status, paths.includes("/openid/v1/jwks")]).toEqual([404, false]);
  },
);

test("/.well-known/openid-configuration: keys may be elsewhere", async () => {
  const keysUrl = "https://keys.example.com/jwks";
  const { server } = await openTokenServer({ tokenIssuer: { ...issuer, keysUrl } });
  const { text } = await send(server, { path: "/.well-known/openid-configuration" });
  expect(JSON.parse(text).jwks_uri).toBe(keysUrl);
});
