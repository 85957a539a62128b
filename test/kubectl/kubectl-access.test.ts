import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientKubeconfig } from "../../src/platform/pki/pki-kubeconfig.ts";
import {
  encodeName,
  type Issuer,
  issueCertificate,
  issuerFrom,
} from "../../src/platform/pki/x509.ts";
import { describeWith, requires } from "../requires.ts";
import { expectation, openTour, type Row, readable, type Tour } from "./kubectl.test-support.ts";
import { manifests } from "./kubectl-manifests.test-support.ts";

const jane = { commonName: "jane", organizations: ["devs"] };
const mallory = { commonName: "mallory", organizations: ["system:masters"] };

describeWith(requires("kubectl"))("kubectl without an administrator's certificate", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(manifests);
    writeFileSync(join(tour.dir, "jane.kubeconfig"), kubeconfigFor(tour, jane));
    writeFileSync(join(tour.dir, "mallory.kubeconfig"), kubeconfigFor(tour, mallory, "self"));
    writeFileSync(join(tour.dir, "token.kubeconfig"), tokenKubeconfig(tour));
  });
  afterAll(() => tour.close());

  for (const [who, rows] of Object.entries({ jane: forbidden, mallory: unknown, token: unknown })) {
    for (const row of rows) {
      test(`kubectl ${row[0]}, as ${who}`, async () => {
        const outcome = await tour.run(row[0], join(tour.dir, `${who}.kubeconfig`));
        expect(readable(outcome)).toEqual(expectation(row));
      });
    }
  }
});

const cannot = (verb: string, resource: string, where: string, group = ""): string =>
  `User "jane" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
const here = 'in the namespace "default"';
const everywhere = "at the cluster scope";

/** Who is known may see what there is, and nothing else. */
const forbidden: Row[] = [
  ["version", /^Server Version: v1\.36\./m],
  ["api-versions", /(^|\n)apps\/v1\n(.*\n)*v1$/],
  ["explain pod", /^KIND: {2}Pod$/m],
  [
    "get pods",
    `Error from server (Forbidden): pods is forbidden: ${cannot("list", "pods", here)}`,
    1,
  ],
  [
    "get pods -A",
    `Error from server (Forbidden): pods is forbidden: ${cannot("list", "pods", everywhere)}`,
    1,
  ],
  [
    "get node n",
    `Error from server (Forbidden): nodes "n" is forbidden: ${cannot("get", "nodes", everywhere)}`,
    1,
  ],
  [
    "get ns default",
    `Error from server (Forbidden): namespaces "default" is forbidden: ${cannot("get", "namespaces", here)}`,
    1,
  ],
  [
    "get deploy shop --subresource=status",
    `Error from server (Forbidden): deployments.apps "shop" is forbidden: ${cannot("get", "deployments/status", here, "apps")}`,
    1,
  ],
  [
    "create -f pod.yaml",
    `Error from server (Forbidden): error when creating "pod.yaml": pods is forbidden: ${cannot("create", "pods", here)}`,
    1,
  ],
  [
    "create ns team",
    `Error from server (Forbidden): namespaces is forbidden: ${cannot("create", "namespaces", everywhere)}`,
    1,
  ],
  [
    "delete pod web",
    `Error from server (Forbidden): pods "web" is forbidden: ${cannot("delete", "pods", here)}`,
    1,
  ],
  [
    "get --raw /metrics",
    'Error from server (Forbidden): forbidden: User "jane" cannot get path "/metrics"',
    1,
  ],
];

/** A certificate of another authority says nothing, whatever it says; neither does a made-up token. */
const unknown: Row[] = [
  ["get pods", /error: You must be logged in to the server \(.*\)$/, 1],
  ["get --raw /api/v1/pods", /error: You must be logged in to the server \(Unauthorized\)$/, 1],
];

function kubeconfigFor(
  { dir, server }: Tour,
  subject: typeof jane,
  signed: "by the cluster" | "self" = "by the cluster",
): string {
  const pki = join(dir, "data", "pki");
  const ca = readFileSync(join(pki, "ca.crt"), "utf8");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer: Issuer =
    signed === "self"
      ? { name: encodeName(subject), key: privateKey }
      : issuerFrom(
          new X509Certificate(ca),
          createPrivateKey(readFileSync(join(pki, "ca.key"), "utf8")),
        );
  const now = Date.now();
  const cert = issueCertificate({
    subject,
    issuer,
    publicKey: createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + 3_600_000),
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["clientAuth"],
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return clientKubeconfig({
    server: `https://127.0.0.1:${server.port}`,
    ca,
    cert,
    key,
    user: "client",
  });
}

function tokenKubeconfig(tour: Tour): string {
  return kubeconfigFor(tour, jane).replace(
    / +client-certificate-data: .*\n +client-key-data: .*\n/,
    "    token: made-up\n",
  );
}
