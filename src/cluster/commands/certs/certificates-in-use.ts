import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { Node } from "../../../api/core/v1/node/node.ts";
import type { Client } from "../../../client/client.ts";
import { isSignedBy } from "../../../platform/pki/pki.ts";
import { readIfPresent } from "../../../platform/pki/pki-files.ts";
import { runningBoxes } from "../../node/node-boxes.ts";

/** The certificates of previous authorities that are known to be in use, in words. */
export async function certificatesInUse(
  dataDir: string,
  previous: readonly X509Certificate[],
  { client, now }: { readonly client: Client | undefined; readonly now: Date },
): Promise<readonly string[]> {
  const isOfPrevious = (pem: string | Buffer): boolean => {
    const certificate = new X509Certificate(pem);
    const isValid = Date.parse(certificate.validTo) > now.getTime();
    return isValid && previous.some((one) => isSignedBy(certificate, one));
  };
  const ofBoxes = (await runningBoxes(dataDir)).map(async ({ name, root }) => {
    const folder = join(root, "var/lib/kubelet/pki");
    const pems = await Promise.all(
      ["kubelet-client.crt", "kubelet.crt"].map((file) => readIfPresent(join(folder, file))),
    );
    return pems.some((pem) => pem !== undefined && isOfPrevious(pem)) ? [`the node ${name}`] : [];
  });
  const found = await Promise.all(ofBoxes);
  if (!client) return found.flat();
  const [requested, served] = await Promise.all([
    requestedCertificates(client, isOfPrevious),
    servedByKubelets(client, isOfPrevious),
  ]);
  return [...new Set([...found.flat(), ...served, ...requested])];
}

type IsOfPrevious = (pem: string | Buffer) => boolean;

/** Requested certificates of clients and nodes, but for those whose holder has a newer one. */
async function requestedCertificates(
  client: Client,
  isOfPrevious: IsOfPrevious,
): Promise<readonly string[]> {
  const { items } = await client.list(CertificateSigningRequest);
  const latest = new Map<string, CertificateSigningRequest>();
  const issuedAt = ({ metadata }: CertificateSigningRequest): string =>
    metadata.creationTimestamp ?? "";
  for (const csr of items.filter(({ status }) => status.certificate)) {
    const holder = `${csr.spec.signerName} ${csr.spec.username}`;
    const known = latest.get(holder);
    if (!known || issuedAt(known) <= issuedAt(csr)) latest.set(holder, csr);
  }
  return [...latest.values()]
    .filter(({ status }) => isOfPrevious(Buffer.from(status.certificate ?? "", "base64")))
    .map(({ metadata, spec }) => `the request ${metadata.name} of ${spec.username}`);
}

/** Nodes whose kubelet serves with a certificate of a previous authority; others need not be reachable. */
async function servedByKubelets(
  client: Client,
  isOfPrevious: IsOfPrevious,
): Promise<readonly string[]> {
  const { items } = await client.list(Node);
  const found = await Promise.all(
    items.map(async ({ metadata, status }) => {
      const { address: host } = status.addresses?.find(({ type }) => type === "InternalIP") ?? {};
      const port = status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
      const served = host === undefined || port === 0 ? undefined : await presented(host, port);
      return served && isOfPrevious(served) ? [`the node ${metadata.name}`] : [];
    }),
  );
  return found.flat();
}

const mostConnectMs = 2000;

/** The certificate that a server presents; undefined if it cannot be reached. */
const presented = (host: string, port: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    // Nothing is sent: whom the certificate is of is what is asked.
    const socket = connectTls({ host, port, rejectUnauthorized: false, timeout: mostConnectMs });
    const end = (found?: Buffer): void => {
      socket.destroy();
      resolve(found);
    };
    socket.on("secureConnect", () => end(socket.getPeerX509Certificate()?.raw));
    socket.on("error", () => end());
    socket.on("timeout", () => end());
  });
