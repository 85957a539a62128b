import type { RegistryAuth } from "../../../cri/image-service.ts";

/** The credentials in the form that a request needs. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly identityToken: string;
  readonly registryToken: string;
}

/** The credentials for a host; undefined if there are none for it. */
export function credentialsFor(
  auth: RegistryAuth | undefined,
  host: string,
): Credentials | undefined {
  if (auth === undefined) return undefined;
  const address = auth.serverAddress;
  if (address !== undefined && address !== "" && !isSameRegistry(address, host)) return undefined;
  const { identityToken = "", registryToken = "", username = "", password = "" } = auth;
  const given = { username, password, identityToken, registryToken };
  if (identityToken !== "" || registryToken !== "" || username !== "") return given;
  if (auth.auth === undefined || auth.auth === "") return undefined;
  const decoded = Buffer.from(auth.auth, "base64").toString("utf8").replace(/\0+$/, "");
  const colon = decoded.indexOf(":");
  if (colon < 0) throw new Error("invalid decoded auth: it has no password");
  return { ...given, username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/** The host of a registry's address: docker's configuration has full addresses, too. */
export function hostOfAddress(address: string): string {
  const host = address.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  return dockerHosts.has(host) ? "docker.io" : host;
}

/** All names of docker's own registry. */
const dockerHosts: ReadonlySet<string> = new Set([
  "docker.io",
  "index.docker.io",
  "registry-1.docker.io",
]);

const isSameRegistry = (a: string, b: string): boolean => hostOfAddress(a) === hostOfAddress(b);
