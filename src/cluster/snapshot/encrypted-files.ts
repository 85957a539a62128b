import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  type ScryptOptions,
  scrypt,
} from "node:crypto";
import {
  decodeFiles,
  encodeFiles,
  SnapshotError,
  type SnapshotFile,
} from "../../store/snapshot/snapshot-format.ts";

/**
 * Encrypts files with a passphrase:
 *
 *     log2 of scrypt's cost 1 byte | salt 16 | nonce 12 | tag 16 | files encrypted with AES-256-GCM
 */
export async function encryptFiles(
  files: readonly SnapshotFile[],
  passphrase: string,
): Promise<Uint8Array> {
  const start = Buffer.concat([Buffer.of(costLog2), randomBytes(saltBytes)]);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", await keyOf(passphrase, start), nonce);
  const sealed = Buffer.concat([cipher.update(encodeFiles(files)), cipher.final()]);
  return Buffer.concat([start, nonce, cipher.getAuthTag(), sealed]);
}

/** Decrypts the files that `encryptFiles` encrypted; throws if the passphrase is wrong. */
export async function decryptFiles(
  sealed: Uint8Array,
  passphrase: string,
): Promise<SnapshotFile[]> {
  const bytes = Buffer.from(sealed);
  const [start, nonce, tag] = [
    bytes.subarray(0, 1 + saltBytes),
    bytes.subarray(1 + saltBytes, 1 + saltBytes + nonceBytes),
    bytes.subarray(1 + saltBytes + nonceBytes, sealedStart),
  ];
  if (bytes.length < sealedStart || (start[0] ?? 0) > highestCostLog2) {
    throw new SnapshotError("the snapshot's keys are damaged: use another snapshot");
  }
  const decipher = createDecipheriv("aes-256-gcm", await keyOf(passphrase, start), nonce);
  decipher.setAuthTag(tag);
  try {
    const files = Buffer.concat([decipher.update(bytes.subarray(sealedStart)), decipher.final()]);
    return decodeFiles(files);
  } catch (cause) {
    throw new SnapshotError(
      "the passphrase is wrong: the snapshot was encrypted with another one",
      {
        cause,
      },
    );
  }
}

const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const sealedStart = 1 + saltBytes + nonceBytes + tagBytes;
const costLog2 = 15;
/** A higher cost would need too much memory: the file is damaged. */
const highestCostLog2 = 20;

function keyOf(passphrase: string, start: Buffer): Promise<Buffer> {
  const cost = 2 ** (start[0] ?? 0);
  const options: ScryptOptions = { N: cost, r: 8, p: 1, maxmem: 2 * 128 * 8 * cost };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize("NFC"), start.subarray(1), 32, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
