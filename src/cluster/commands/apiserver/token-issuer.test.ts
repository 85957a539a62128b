import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { errorMessage } from "../../../base/error-message.ts";
import { parseJwt } from "../../../schema/values/jwt.ts";
import { serveTestSigner } from "../../signing/external-signer.test-support.ts";
import { openTokenIssuer, type TokenIssuerFlags } from "./token-issuer.ts";

const dir = mkdtempSync(join(tmpdir(), "wherry-tokens-"));
afterAll(() => rmSync(dir, { recursive: true }));

function newKey(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pair = {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
  writeFileSync(join(dir, `${name}.key`), pair.privateKey);
  writeFileSync(join(dir, `${name}.pub`), pair.publicKey);
  return pair;
}
const own = { serviceAccount: newKey("own") };
newKey("a");
newKey("b");
writeFileSync(join(dir, "none"), "nonsense");

const none: TokenIssuerFlags = { issuers: [], audiences: [], keyFiles: [], signingKeyFile: "" };
const open = (flags: Partial<TokenIssuerFlags>) => openTokenIssuer({ ...none, ...flags }, own);
const file = (name: string) => join(dir, name);
const idOf = async (name: string) => (await open({ signingKeyFile: file(name) })).signer.id;

const choices: [what: string, signing: string, files: string[], signer: string, keys: string[]][] =
  [
    ["the cluster's own key, if no other is given", "", [], "own", ["own"]],
    ["a signing key, which also verifies", "a.key", [], "a", ["a"]],
    ["a signing key, and others that verify", "a.key", ["a.pub", "b.key"], "a", ["a", "b"]],
    ["the cluster's own key, and others that verify", "", ["b.pub"], "own", ["own", "b"]],
  ];
test.each(choices)("openTokenIssuer: %s", async (_, signing, files, signer, keys) => {
  const signingKeyFile = signing === "" ? "" : file(signing);
  const issuer = await open({ signingKeyFile, keyFiles: files.map(file) });
  expect(issuer.signer.id).toBe(await idOf(`${signer}.key`));
  const wanted = await Promise.all(keys.map((name) => idOf(`${name}.key`)));
  expect(issuer.keys.map(({ id }) => id)).toEqual(wanted);
});

test("openTokenIssuer: the default audiences are the issuers", async () => {
  const issuers = ["https://a", "https://b"];
  expect(await open({})).toMatchObject({
    issuers: ["https://kubernetes.default.svc"],
    audiences: ["https://kubernetes.default.svc"],
  });
  expect(await open({ issuers })).toMatchObject({ issuers, audiences: issuers });
  expect(await open({ issuers, audiences: ["x"] })).toMatchObject({ issuers, audiences: ["x"] });
});

const faults: [flags: Partial<TokenIssuerFlags>, message: string][] = [
  [
    { keyFiles: [file("gone")] },
    `cannot read ${file("gone")}, given by --service-account-key-file: there is no such file; check the path`,
  ],
  [
    { signingKeyFile: file("none") },
    `error reading private key file ${file("none")}: data does not contain a valid RSA or ECDSA private key`,
  ],
  [
    { keyFiles: [file("none")] },
    `error reading public key file ${file("none")}: data does not contain any valid RSA or ECDSA public keys`,
  ],
];
test.each(faults)("openTokenIssuer: rejects %j", async (flags, message) => {
  expect(await open(flags).catch(errorMessage)).toBe(message);
});

test("openTokenIssuer: a program at a socket signs, and limits lifetimes", async () => {
  const path = join(dir, "signer.sock");
  const program = await serveTestSigner(path);
  try {
    const issuer = await open({ signingEndpoint: path });
    expect([
      issuer.maxSeconds,
      issuer.mostExtendedSeconds,
      issuer.keys.map(({ id }) => id),
    ]).toEqual([7200, 7200, ["k1"]]);
    expect(parseJwt((await issuer.signToken?.({ sub: "a" })) ?? "")?.header.kid).toBe("k1");
    program.rotate("k2");
    await issuer.refreshKeys?.();
    expect(issuer.keys.map(({ id }) => id)).toEqual(["k1", "k2"]);
    issuer.close();
    await expect(open({ signingEndpoint: path, maxSeconds: 10_800 })).rejects.toThrow(
      "service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: 3h0m0s > 2h0m0s",
    );
  } finally {
    await program.close();
  }
});
