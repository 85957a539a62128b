import type { TokenIssuer } from "../../../apiserver/authentication/service-account-tokens.ts";
import type { VerifyingKey } from "../../../base/cryptography/token-key.ts";
import { readGiven } from "../../../platform/given-files.ts";
import type { Pki } from "../../../platform/pki/pki.ts";
import { signingKey, verifyingKeys } from "../../../platform/pki/token-keys.ts";

/** The flags for service account tokens; empty values select our defaults. */
export interface TokenIssuerFlags {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** The files with keys that verify tokens. */
  readonly keyFiles: readonly string[];
  readonly signingKeyFile: string;
  readonly maxSeconds?: number;
  readonly extendsPodTokens?: boolean;
  readonly keysUrl?: string;
}

const defaultIssuer = "https://kubernetes.default.svc";

/**
 * Opens the issuer of tokens with the keys of the given files, or else with the cluster's own key. A key
 * that signs tokens also verifies them, in addition to the other keys.
 */
export async function openTokenIssuer(
  flags: TokenIssuerFlags,
  { serviceAccount }: Pick<Pki, "serviceAccount">,
): Promise<TokenIssuer> {
  const { signingKeyFile, keyFiles } = flags;
  const issuers = flags.issuers.length > 0 ? flags.issuers : [defaultIssuer];
  const signingPem =
    signingKeyFile === ""
      ? serviceAccount.privateKey
      : await readGiven({ flag: "service-account-signing-key-file", path: signingKeyFile });
  const signer = reading("private", signingKeyFile, () => signingKey(signingPem));
  const given = await Promise.all(keyFiles.map(readKeys));
  const isOwn = signingKeyFile === "" || keyFiles.length === 0;
  return {
    issuers,
    audiences: flags.audiences.length > 0 ? flags.audiences : issuers,
    signer,
    ...(flags.maxSeconds && { maxSeconds: flags.maxSeconds }),
    extendsPodTokens: flags.extendsPodTokens ?? true,
    ...(flags.keysUrl && { keysUrl: flags.keysUrl }),
    keys: [...(isOwn ? verifyingKeys(signingPem) : []), ...given.flat()],
  };
}

async function readKeys(file: string): Promise<VerifyingKey[]> {
  const pem = await readGiven({ flag: "service-account-key-file", path: file });
  return reading("public", file, () => verifyingKeys(pem));
}

function reading<T>(which: "private" | "public", file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(`error reading ${which} key file ${file}`, { cause });
  }
}
