import { readFile } from "node:fs/promises";
import type { TokenIssuer } from "../apiserver/authentication/service-account-tokens.ts";
import type { VerifyingKey } from "../base/token-key.ts";
import { UsageError } from "../cli/parse-flags.ts";
import type { Pki } from "../platform/pki.ts";
import { signingKey, verifyingKeys } from "../platform/token-keys.ts";

/** What the command line says of the tokens of service accounts; what is empty is left to us. */
export interface TokenIssuerFlags {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Files of keys that tokens are verified with. */
  readonly keyFiles: readonly string[];
  readonly signingKeyFile: string;
}

const defaultIssuer = "https://kubernetes.default.svc";

/**
 * The issuer of tokens: with the keys of files, or else with the cluster's own key. That one counts
 * as long as it signs, whatever other keys tokens may be verified with.
 */
export async function openTokenIssuer(
  flags: TokenIssuerFlags,
  { serviceAccount }: Pick<Pki, "serviceAccount">,
): Promise<TokenIssuer> {
  const { signingKeyFile, keyFiles } = flags;
  const issuers = flags.issuers.length > 0 ? flags.issuers : [defaultIssuer];
  checkIssuers(issuers);
  const signingPem =
    signingKeyFile === "" ? serviceAccount.privateKey : await readFile(signingKeyFile, "utf8");
  const signer = reading("private", signingKeyFile, () => signingKey(signingPem));
  const given = await Promise.all(keyFiles.map(readKeys));
  const isOwn = signingKeyFile === "" || keyFiles.length === 0;
  return {
    issuers,
    audiences: flags.audiences.length > 0 ? flags.audiences : issuers,
    signer,
    keys: [...(isOwn ? verifyingKeys(signingPem) : []), ...given.flat()],
  };
}

async function readKeys(file: string): Promise<VerifyingKey[]> {
  const pem = await readFile(file, "utf8");
  return reading("public", file, () => verifyingKeys(pem));
}

function reading<T>(which: "private" | "public", file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(`error reading ${which} key file ${file}`, { cause });
  }
}

function checkIssuers(issuers: readonly string[]): void {
  for (const [index, issuer] of issuers.entries()) {
    if (issuer === "") throw new UsageError("service-account-issuer should not be an empty string");
    if (issuers.indexOf(issuer) < index)
      throw new UsageError(`service-account-issuer ${JSON.stringify(issuer)} is already specified`);
  }
}
