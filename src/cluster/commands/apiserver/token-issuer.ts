import type { TokenIssuer } from "../../../apiserver/authentication/service-account-tokens.ts";
import type { SigningKey, VerifyingKey } from "../../../base/cryptography/token-key.ts";
import { type Log, noLog } from "../../../base/log.ts";
import { readGiven } from "../../../platform/given-files.ts";
import type { Pki } from "../../../platform/pki/pki.ts";
import { signingKey, verifyingKeys } from "../../../platform/pki/token-keys.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import { type ExternalSigner, openExternalSigner } from "../../signing/external-signer.ts";

/** The flags for service account tokens; empty values select our defaults. */
export interface TokenIssuerFlags {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** The files with keys that verify tokens. */
  readonly keyFiles: readonly string[];
  readonly signingKeyFile: string;
  /** The socket of a program that signs tokens, instead of a key. */
  readonly signingEndpoint?: string;
  readonly maxSeconds?: number;
  readonly extendsPodTokens?: boolean;
  readonly keysUrl?: string;
}

const defaultIssuer = "https://kubernetes.default.svc";

/** An issuer of tokens whose own keys can be replaced while it is used. */
export interface OpenedTokenIssuer extends TokenIssuer {
  /** Uses the cluster's own keys as they are now, where no file has others. */
  renew(pki: Pick<Pki, "serviceAccount">): void;
  close(): void;
}

/**
 * Opens the issuer of tokens with the keys of the given files, or else with the cluster's own keys. A key
 * that signs tokens also verifies them, in addition to the other keys.
 */
export async function openTokenIssuer(
  flags: TokenIssuerFlags,
  pki: Pick<Pki, "serviceAccount">,
  log: Log = noLog,
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
  const external = await externalSigner(flags, log);
  return {
    issuers,
    audiences: flags.audiences.length > 0 ? flags.audiences : issuers,
    ...(flags.maxSeconds && { maxSeconds: flags.maxSeconds }),
    extendsPodTokens: flags.extendsPodTokens ?? true,
    ...(flags.keysUrl && { keysUrl: flags.keysUrl }),
    get signer() {
      return current.signer;
    },
    ...external?.options,
    get keys() {
      return external?.signer.keys ?? current.keys;
    },
    renew(renewed) {
      if (signing === undefined) current = keysOf(renewed);
    },
    close: () => external?.signer.close(),
  };
}

/** The program that signs tokens, if one is given, and what it changes of the issuer. */
async function externalSigner(
  { signingEndpoint = "", maxSeconds = 0 }: TokenIssuerFlags,
  log: Log,
): Promise<
  { readonly signer: ExternalSigner; readonly options: Partial<TokenIssuer> } | undefined
> {
  if (signingEndpoint === "") return undefined;
  const signer = await openExternalSigner(signingEndpoint, { clock: realClock, log });
  if (maxSeconds > signer.maxSeconds) {
    signer.close();
    throw new Error(
      `service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: ${shown(maxSeconds)} > ${shown(signer.maxSeconds)}`,
    );
  }
  const options: Partial<TokenIssuer> = {
    maxSeconds: maxSeconds || signer.maxSeconds,
    mostExtendedSeconds: signer.maxSeconds,
    signToken: (claims) => signer.sign(claims),
    refreshKeys: () => signer.refresh(),
    keysAgeSeconds: () => signer.keysAgeSeconds(),
  };
  return { signer, options };
}

const shown = (seconds: number): string => formatDuration(BigInt(seconds) * 1_000_000_000n);

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
