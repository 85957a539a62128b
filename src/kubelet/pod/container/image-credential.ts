import { sha256Hex } from "../../../base/cryptography/sha256.ts";
import type { RegistryAuth } from "../../../cri/image-service.ts";
import { goJson } from "../../../schema/json/go-json.ts";

/** Credentials of a registry. */
export interface ImageCredential {
  readonly auth: DockerCredential;
  /** Whose they are; absent for those of the node, which all of its pods may use. */
  readonly source?: CredentialSource | undefined;
}

/** Credentials in the form of docker, which has an address for them, too. */
export interface DockerCredential extends RegistryAuth {
  readonly email?: string | undefined;
}

/** The object in whose name credentials are used. */
export interface CredentialSource {
  readonly kind: "Secret" | "ServiceAccount";
  readonly owner: CredentialOwner;
}

export interface CredentialOwner {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** The hash by which equal credentials of different secrets are found, as upstream computes it. */
export function credentialHash(auth: DockerCredential): string {
  const { username, password, email, serverAddress, identityToken, registryToken } = auth;
  const fields = {
    ...{ username, password, auth: auth.auth, email, serveraddress: serverAddress },
    ...{ identitytoken: identityToken, registrytoken: registryToken },
  };
  return sha256Hex(goJson(Object.fromEntries(Object.entries(fields).filter(([, text]) => text))));
}
