import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  X509Certificate,
} from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SigningKey } from "../../src/base/cryptography/token-key.ts";
import { ensurePki, type KeyPair } from "../../src/platform/pki/pki.ts";
import { signingKey } from "../../src/platform/pki/token-keys.ts";
import { encodeName, issueCertificate, issuerFrom } from "../../src/platform/pki/x509.ts";
import { writeJwt } from "../../src/schema/values/jwt.ts";
import type { HttpsClient } from "../support/https-client.test-support.ts";

/** Who makes a request: by a certificate, by headers, or by nothing. */
export interface Identity {
  readonly certificate?: KeyPair;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export const bearer = (token: string): Identity => ({
  headers: { authorization: `Bearer ${token}` },
});

const day = 24 * 60 * 60 * 1000;

export interface CertificateOptions {
  readonly name: string;
  readonly groups?: readonly string[];
  /** Days from now; a day ago and a day ahead where nothing is said. */
  readonly from?: number;
  readonly to?: number;
  readonly signed?: "by the cluster" | "by itself";
  readonly usage?: "clientAuth" | "serverAuth";
}

/** A client certificate as the cluster's authority would sign it, or its holder. */
export function certificate(
  dir: string,
  { name, groups = [], from = -1, to = 1, signed, usage = "clientAuth" }: CertificateOptions,
): KeyPair {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pki = (file: string): string => readFileSync(join(dir, "pki", file), "utf8");
  const subject = { commonName: name, organizations: [...groups] };
  const issuer =
    signed === "by itself"
      ? { name: encodeName(subject), key: privateKey }
      : issuerFrom(new X509Certificate(pki("ca.crt")), createPrivateKey(pki("ca.key")));
  const cert = issueCertificate({
    subject,
    issuer,
    publicKey: createPublicKey(privateKey),
    notBefore: new Date(Date.now() + from * day),
    notAfter: new Date(Date.now() + to * day),
    keyUsage: ["digitalSignature"],
    extKeyUsage: [usage],
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** The administrator of another cluster. */
export async function strangersAdmin(): Promise<KeyPair> {
  const dir = mkdtempSync(join(tmpdir(), "wherry-stranger-"));
  try {
    return (await ensurePki(dir, { now: new Date() })).admin;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Tokens of a service account in the namespace `a`: genuine ones, and ones that only look so. */
export async function robotTokens(
  admin: HttpsClient,
  dir: string,
): Promise<Readonly<Record<string, string>>> {
  const accounts = "/api/v1/namespaces/a/serviceaccounts";
  const issue = async (account: string, spec: object = {}): Promise<string> => {
    const answer = await admin.call("POST", `${accounts}/${account}/token`, { body: { spec } });
    const { status } = answer.body as unknown as { status: { token: string } };
    return status.token;
  };
  const valid = await issue("robot");
  const [header = "", payload = "", signature = ""] = valid.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
  const own = signingKey(readFileSync(join(dir, "pki", "sa.key"), "utf8"));
  const sign = (more: object, key: SigningKey = own): string =>
    writeJwt(key, { ...claims, ...more });
  const now = Math.floor(Date.now() / 1000);
  const stranger = signingKey(
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString(),
  );
  const masters = part({ ...claims, sub: "system:serviceaccount:kube-system:root" });
  const publicKey = readFileSync(join(dir, "pki", "sa.pub"), "utf8");
  const asSecret = `${part({ alg: "HS256", kid: own.id })}.${payload}`;
  const ofDeleted = await issue("doomed");
  await admin.call("DELETE", `${accounts}/doomed`);
  const pod = (await admin.call("GET", "/api/v1/namespaces/a/pods/bound")).body;
  const boundTo = { kind: "Pod", apiVersion: "v1", name: pod.metadata.name };
  const ofPod = await issue("robot", { boundObjectRef: boundTo });
  await admin.call("DELETE", "/api/v1/namespaces/a/pods/bound?gracePeriodSeconds=0");
  return {
    valid,
    signedByHand: sign({ jti: randomUUID() }),
    expired: sign({ exp: now - 100, iat: now - 1000, nbf: now - 1000 }),
    notYetValid: sign({ nbf: now + 1000 }),
    forOthers: await issue("robot", { audiences: ["https://elsewhere"] }),
    ofAnotherIssuer: sign({ iss: "https://elsewhere" }),
    ofAnotherUid: sign({
      "kubernetes.io": { namespace: "a", serviceaccount: { name: "robot", uid: "x" } },
    }),
    ofStranger: sign({}, stranger),
    ofStrangerWithOurKeyId: sign({}, { ...stranger, id: own.id }),
    ofUnknownKey: sign({}, { ...own, id: "unknown" }),
    changedSignature: `${header}.${payload}.${signature.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`,
    changedPayload: `${header}.${masters}.${signature}`,
    withoutSignature: `${header}.${payload}.`,
    unsigned: `${part({ alg: "none" })}.${masters}.`,
    unsignedWithSignature: `${part({ alg: "None", kid: own.id })}.${masters}.${signature}`,
    signedWithPublicKey: `${asSecret}.${createHmac("sha256", publicKey).update(asSecret).digest("base64url")}`,
    twoParts: `${header}.${payload}`,
    nonsense: "not-a-token",
    ofDeleted,
    ofPod,
  };
}

interface Claims {
  readonly [name: string]: unknown;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
