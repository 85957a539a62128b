import type { TokenIssuer } from "../../../apiserver/authentication/service-account-tokens.ts";
import type { SigningKey, VerifyingKey } from "../../../base/cryptography/token-key.ts";
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

/** An issuer of tokens whose own keys can be replaced while it is used. */
export interface OpenedTokenIssuer extends TokenIssuer {
  /** Uses the cluster's own keys as they are now, where no file has others. */
  renew(pki: Pick<Pki, "serviceAccount">): void;
}

/**
 * Opens the issuer of tokens with the keys of the given files, or else with the cluster's own keys. A key
 * that signs tokens also verifies them, in addition to the other keys.
 */
export async function openTokenIssuer(
  flags: TokenIssuerFlags,
  pki: Pick<Pki, "serviceAccount">,
): Promise<OpenedTokenIssuer> {
  const { signingKeyFile, keyFiles } = flags;
  const issuers = flags.issuers.length > 0 ? flags.issuers : [defaultIssuer];
  const signing =
    signingKeyFile === ""
      ? undefined
      : await readGiven({ flag: "service-account-signing-key-file", path: signingKeyFile });
  const given = (await Promise.all(keyFiles.map(readKeys))).flat();
  const keysOf = ({ serviceAccount: own }: Pick<Pki, "serviceAccount">) => {
    const verifies = keyFiles.length === 0 ? signing : undefined;
    const pem = signing === undefined ? own.publicKey : verifies;
    return {
      signer: reading("private", signingKeyFile, () => signingKey(signing ?? own.privateKey)),
      keys: [...(pem === undefined ? [] : verifyingKeys(pem)), ...given],
    };
  };
  let current = keysOf(pki);
  return {
    issuers,
    audiences: flags.audiences.length > 0 ? flags.audiences : issuers,
    ...(flags.maxSeconds && { maxSeconds: flags.maxSeconds }),
    extendsPodTokens: flags.extendsPodTokens ?? true,
    ...(flags.keysUrl && { keysUrl: flags.keysUrl }),
    get signer() {
      return current.signer;
    },
    get keys() {
      return current.keys;
    },
    renew(renewed) {
      if (signing === undefined) current = keysOf(renewed);
    },
  };
}

/** A key that is the issuer's present one whenever it signs. */
export const presentSigner = (issuer: Pick<TokenIssuer, "signer">): SigningKey => ({
  get id() {
    return issuer.signer.id;
  },
  get algorithm() {
    return issuer.signer.algorithm;
  },
  sign: (text) => issuer.signer.sign(text),
});

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
