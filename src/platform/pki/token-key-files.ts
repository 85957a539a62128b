import { createPublicKey, type KeyObject } from "node:crypto";
import { chmod, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../files.ts";
import { loadKey, makeKey, readIfPresent } from "./pki-files.ts";
import type { RotationStage } from "./rotation-stage.ts";

/** The keys of service account tokens (ES256 when created here); PEM. */
export interface TokenKeyFiles {
  /** Signs tokens. */
  readonly privateKey: string;
  /** Verify tokens: the key of the private one first, then those of a rotation. */
  readonly publicKey: string;
}

/** Where the rotation of the keys stands, and the keys. */
export interface TokenKeyState extends TokenKeyFiles {
  readonly stage: RotationStage;
  /** Verifies tokens that were signed before the key was changed; PEM. */
  readonly previous: string | undefined;
}

/** Loads the keys of a directory, or creates them. The public ones are also in a file for other servers. */
export async function ensureTokenKeys(dir: string): Promise<TokenKeyFiles> {
  const { privateKey, publicKey } = await readTokenKeys(dir);
  const { shared } = pathsIn(dir);
  if ((await readIfPresent(shared)) !== publicKey) await writePrivateFile(shared, publicKey);
  // Changing a mode, even to what it is, wakes those who watch the folder: a server would read it without end.
  if (((await stat(shared)).mode & 0o777) !== 0o644) await chmod(shared, 0o644);
  return { privateKey, publicKey };
}

/** Reads the keys of a directory; the key that signs is created if it is missing. */
export async function readTokenKeys(dir: string): Promise<TokenKeyState> {
  const paths = pathsIn(dir);
  const remedy = `restore it from a backup, or remove ${paths.key}: tokens issued so far end with it`;
  const ofNext = `remove ${paths.next} to begin the rotation anew`;
  const { pem: privateKey, key } = (await loadKey(paths.key, remedy)) ?? (await makeKey(paths.key));
  const next = await loadKey(paths.next, ofNext);
  const previous = await readIfPresent(paths.previous);
  const own = publicPem(key);
  const others = [next && publicPem(next.key), previous].filter(
    (pem): pem is string => pem !== undefined && pem !== own,
  );
  const isSigning = next !== undefined && publicPem(next.key) === own;
  return {
    privateKey,
    publicKey: [own, ...others].join(""),
    previous,
    stage: stageOf({ hasNext: next !== undefined, isSigning, hasPrevious: previous !== undefined }),
  };
}

interface Found {
  readonly hasNext: boolean;
  /** Whether the next key is the one that signs already. */
  readonly isSigning: boolean;
  readonly hasPrevious: boolean;
}

function stageOf({ hasNext, isSigning, hasPrevious }: Found): RotationStage {
  if (isSigning) return "issuing";
  if (hasNext) return "trusted";
  return hasPrevious ? "issued" : "none";
}

/**
 * Does the next step of the rotation of token keys. Each write leaves a state that is complete, from which the next
 * call goes on: a new key verifies, then it signs, then the previous one is dropped.
 */
export async function rotateTokenKeys(dir: string): Promise<RotationStage> {
  const paths = pathsIn(dir);
  const { stage, privateKey } = await readTokenKeys(dir);
  if (stage === "none") await makeKey(paths.next);
  if (stage === "trusted") {
    await writePrivateFile(paths.previous, publicPem(createPublicKey(privateKey)));
    await writePrivateFile(paths.key, (await readIfPresent(paths.next)) ?? "");
  }
  if (stage === "trusted" || stage === "issuing") await rm(paths.next);
  if (stage === "issued") await rm(paths.previous);
  await ensureTokenKeys(dir);
  return (await readTokenKeys(dir)).stage;
}

const publicPem = (key: KeyObject): string =>
  (key.type === "public" ? key : createPublicKey(key))
    .export({ type: "spki", format: "pem" })
    .toString();

/** The files of the keys; those of the next and the previous key exist only while they are rotated. */
const pathsIn = (dir: string) => ({
  key: join(dir, "sa.key"),
  shared: join(dir, "sa.pub"),
  next: join(dir, "sa-next.key"),
  previous: join(dir, "sa-previous.pub"),
});
