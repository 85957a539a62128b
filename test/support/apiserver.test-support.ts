import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { type RunningServer, start } from "../../src/cluster/commands/apiserver/apiserver.ts";
import { startOptions } from "../../src/cluster/commands/apiserver/apiserver-options.ts";
import { givenFlags } from "../../src/cluster/commands/apiserver/flags/given-flags.test-support.ts";
import { encodeName, issueCertificate } from "../../src/platform/pki/x509.ts";

/** A directory that is gone after the test. */
export function testDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "wherry-serving-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Starts a server in this process as the command line would, on a free port, until the test ends. */
export async function startWith(
  dir: string,
  ...args: readonly string[]
): Promise<RunningServer & { readonly dir: string }> {
  const data = join(dir, "data");
  const flags = givenFlags(["--data-dir", data, "--secure-port=0", ...args]);
  const server = await start(await startOptions(flags));
  onTestFinished(() => server.close());
  return { ...server, dir: data };
}

/** A certificate authority of the test's own. */
export class TestAuthority {
  readonly #dir: string;
  readonly #key: KeyObject;
  readonly #subject: { readonly commonName: string; readonly organizations: readonly string[] };
  /** The path of its certificate. */
  readonly file: string;

  constructor(dir: string, commonName = "test-ca") {
    this.#subject = { commonName, organizations: [] };
    this.#dir = dir;
    this.#key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    this.file = join(dir, "test-ca.crt");
    writeFileSync(this.file, this.#issue(this.#key, { subject: this.#subject, isCa: true }));
  }

  /** Issues a certificate, and gives the paths of it and its key. */
  issue(
    commonName: string,
    {
      organizations = [],
      dnsNames = [],
      valid,
    }: {
      organizations?: string[];
      dnsNames?: string[];
      /** In milliseconds since 1970; from a minute ago for an hour if not given. */
      valid?: readonly [from: number, to: number];
    } = {},
  ): { readonly cert: string; readonly key: string } {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const subject = { commonName, organizations };
    const cert = join(this.#dir, `${commonName}.crt`);
    const key = join(this.#dir, `${commonName}.key`);
    writeFileSync(cert, this.#issue(privateKey, { subject, dnsNames, valid }));
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    writeFileSync(key, pem, { mode: 0o600 });
    return { cert, key };
  }

  #issue(
    key: KeyObject,
    {
      subject,
      dnsNames = [],
      isCa = false,
      valid = [Date.now() - 60_000, Date.now() + 3_600_000],
    }: {
      subject: { commonName: string; organizations: readonly string[] };
      dnsNames?: string[];
      isCa?: boolean;
      valid?: readonly [from: number, to: number] | undefined;
    },
  ): string {
    return issueCertificate({
      subject,
      issuer: { name: encodeName(this.#subject), key: this.#key },
      publicKey: createPublicKey(key),
      notBefore: new Date(valid[0]),
      notAfter: new Date(valid[1]),
      isCa,
      keyUsage: isCa ? ["digitalSignature", "keyCertSign"] : ["digitalSignature"],
      ...(isCa ? {} : { extKeyUsage: ["serverAuth", "clientAuth"] }),
      ...(dnsNames.length > 0 && { dnsNames }),
    });
  }
}

export interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The common name in the certificate that the server showed. */
  readonly servedBy: string | undefined;
  readonly protocol: string | null;
  readonly cipher: string;
}

/** Sends a request on a connection of its own; whom the client believes does not matter. */
export function ask(
  { port }: { readonly port: number },
  path: string,
  options: RequestOptions = {},
  body = "",
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, agent: false, rejectUnauthorized: false, ...options },
      (response) => {
        const socket = response.socket as TLSSocket;
        const servedBy = socket.getPeerCertificate().subject?.CN;
        const shown = { servedBy, protocol: socket.getProtocol(), cipher: socket.getCipher().name };
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        const { statusCode: status, headers } = response;
        response.on("end", () => resolve({ status, headers, text, ...shown }));
      },
    );
    sent.on("error", reject).end(Buffer.from(body));
  });
}
