import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { TestAuthority } from "./apiserver.test-support.ts";

/** An issuer of identity tokens behind TLS, until the test ends. */
export interface HttpsIssuer {
  readonly url: string;
  /** A token for the audience `web`, valid for an hour, of an issuer with other keys from now on if `rotate`. */
  token(claims: object): string;
  /** Signs with a new key from now on. */
  rotate(): void;
}

export async function openHttpsIssuer(
  authority: TestAuthority,
  name: string,
): Promise<HttpsIssuer> {
  const { cert, key } = authority.issue(name, { dnsNames: ["localhost"] });
  let current = newKey();
  const server = createServer(
    { cert: readFileSync(cert), key: readFileSync(key) },
    (request, response) => {
      const documents: Readonly<Record<string, object>> = {
        "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
        "/keys": { keys: [current.webKey] },
      };
      const document = documents[request.url ?? ""];
      response.writeHead(document ? 200 : 404, { "Content-Type": "application/json" });
      response.end(document && JSON.stringify(document));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    token(claims) {
      const exp = Math.floor(Date.now() / 1000) + 3600;
      return signed(current, { iss: url, aud: "web", exp, ...claims });
    },
    rotate() {
      current = newKey();
    },
  };
}

interface Key {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly webKey: object;
}

let keys = 0;

function newKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const id = `key-${++keys}`;
  return { id, privateKey, webKey: { ...publicKey.export({ format: "jwk" }), kid: id } };
}

function signed({ id, privateKey }: Key, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", kid: id })}.${part(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}
