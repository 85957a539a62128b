import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { get } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import type { KeyPair } from "../../platform/pki/pki.ts";
import { issueCertificate, issuerFrom } from "../../platform/pki/x509.ts";
import type { Handler } from "../request/request.ts";
import { makePki, ok, openSession, pki, start, versions } from "./clients.test-support.ts";

const strangers = await makePki();

/** A client certificate signed by the cluster's authority. */
function clientCertificate(options: { usage: "clientAuth" | "serverAuth"; days: number }): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const day = 24 * 60 * 60 * 1000;
  const cert = issueCertificate({
    subject: { commonName: "jane", organizations: ["a, b", "c\nO=system:masters"] },
    issuer: issuerFrom(new X509Certificate(pki.ca.cert), createPrivateKey(pki.ca.key)),
    publicKey,
    notBefore: new Date(Date.now() - 10 * day),
    notAfter: new Date(Date.now() + options.days * day),
    extKeyUsage: [options.usage],
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

interface Identity {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly refused?: string;
}

const whoAmI: Handler = ({ peer, peerError: refused }) => {
  return ok(JSON.stringify({ user: peer?.commonName, groups: peer?.organizations, refused }));
};

const identities: readonly [string, () => KeyPair | undefined, Identity][] = [
  ["no certificate", () => undefined, {}],
  ["the administrator's", () => pki.admin, { user: "admin", groups: ["system:masters"] }],
  [
    "one with strange groups",
    () => clientCertificate({ usage: "clientAuth", days: 1 }),
    { user: "jane", groups: ["a, b", "c\nO=system:masters"] },
  ],
  [
    "a stranger's administrator's",
    () => strangers.admin,
    { refused: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" },
  ],
  ["a server's", () => pki.apiserver, { refused: "INVALID_PURPOSE" }],
  [
    "one that has ended",
    () => clientCertificate({ usage: "clientAuth", days: -1 }),
    { refused: "CERT_HAS_EXPIRED" },
  ],
];

for (const [version, call] of versions) {
  test.each(identities)(
    `readPeer: ${version}: client certificate: %s`,
    async (_, identity, wanted) => {
      const { port } = await start(whoAmI);
      const pair = identity();
      const answer = await call(port, pair === undefined ? {} : { identity: pair });
      expect(JSON.parse(answer.body)).toEqual(wanted);
    },
  );
}

test("readPeer: a certificate that ends while the connection is open counts no more", async () => {
  let later = 0;
  const { port } = await start(whoAmI, {}, () => Date.now() + later);
  const session = openSession(port, clientCertificate({ usage: "clientAuth", days: 1 }));
  const ask = async () => {
    const [body] = (await once(session.request({ ":path": "/" }), "data")) as [Buffer];
    return JSON.parse(body.toString());
  };
  expect((await ask()).user).toEqual("jane");
  later = 2 * 24 * 60 * 60 * 1000;
  expect(await ask()).toEqual({ refused: "CERT_HAS_EXPIRED" });
});

test("readPeer: a resumed TLS session has the identity it began with, and no other", async () => {
  const { port } = await start(whoAmI);
  const ask = (socket: TLSSocket): Promise<Identity> =>
    new Promise((resolve, reject) => {
      socket.on("error", reject);
      get({ createConnection: () => socket, host: "127.0.0.1" }, (response) => {
        response.on("data", (data) => resolve(JSON.parse(data)));
      }).on("error", reject);
    });
  const open = (options: object): TLSSocket =>
    connect({ host: "127.0.0.1", port, ca: pki.ca.cert, servername: "localhost", ...options });
  const answers: [Identity, boolean][] = [];
  for (const identity of [pki.admin, {}, strangers.admin]) {
    const first = open(identity);
    const [[session]] = await Promise.all([once(first, "session"), ask(first)]);
    first.destroy();
    const second = open({ session });
    answers.push([await ask(second), second.isSessionReused()]);
    second.destroy();
  }
  expect(answers).toEqual([
    [{ user: "admin", groups: ["system:masters"] }, true],
    [{}, true],
    [{ refused: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }, true],
  ]);
});
