import { join } from "node:path";
import { writePrivateFile } from "../files.ts";
import type { Pki } from "./pki.ts";
import { readIfPresent } from "./pki-files.ts";

/** The server and the credentials of a client; certificates and key are PEM. */
export interface ClientAccess {
  /** The name of the client in the kubeconfig. */
  readonly user: string;
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** The name in the server's certificate, if it differs from the server's address. */
  readonly serverName?: string | undefined;
}

/** A kubeconfig with embedded credentials. */
export function clientKubeconfig(access: ClientAccess): string {
  const { server, ca, cert, key, serverName, user } = access;
  // A plain word stays as it is in files that exist.
  const quoted = /^[a-z]+$/.test(user) ? user : JSON.stringify(user);
  const name = serverName === undefined ? "" : `\n    tls-server-name: ${serverName}`;
  return `apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: ${base64(ca)}
    server: ${JSON.stringify(server)}${name}
  name: wherry
contexts:
- context:
    cluster: wherry
    user: ${quoted}
  name: wherry
current-context: wherry
users:
- name: ${quoted}
  user:
    client-certificate-data: ${base64(cert)}
    client-key-data: ${base64(key)}
`;
}

/** Keeps `admin.kubeconfig` in the directory up to date, and returns its path. */
export async function writeAdminKubeconfig(
  dir: string,
  { server, serverName }: Pick<ClientAccess, "server" | "serverName">,
  pki: Pki,
): Promise<string> {
  const path = join(dir, "admin.kubeconfig");
  const text = clientKubeconfig({
    ...{ server, serverName, ca: pki.ca.cert, ...pki.admin, user: "admin" },
  });
  if ((await readIfPresent(path)) !== text) await writePrivateFile(path, text);
  return path;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
