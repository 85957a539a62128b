import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { writePrivateFile } from "../../../platform/files.ts";
import { readIfPresent } from "../../../platform/pki/pki-files.ts";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import { watchFiles } from "../../../platform/watch-files.ts";
import { joinedPem, pairIn, type StoredPair } from "./certificate-store.ts";

/** The paths of a certificate and its key. */
export interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

/** Reads a pair from its files. */
export async function readPair({ cert, key }: PairFiles): Promise<StoredPair> {
  const [certPem, keyPem] = await Promise.all([readFile(cert, "utf8"), readFile(key, "utf8")]);
  return pairIn(joinedPem({ cert: certPem, key: keyPem }), cert);
}

/** The files of a self-signed certificate in a directory; they are created unless both exist. */
export async function selfSignedFiles(
  certDir: string,
  { hostname, now }: { readonly hostname: string; readonly now: Date },
): Promise<PairFiles> {
  const files = { cert: join(certDir, "kubelet.crt"), key: join(certDir, "kubelet.key") };
  const present = await Promise.all([readIfPresent(files.cert), readIfPresent(files.key)]);
  if (present.every((text) => text !== undefined)) return files;
  const pair = selfSigned({ name: hostname, ips: [], now });
  await mkdir(dirname(files.cert), { recursive: true, mode: 0o755 });
  await writePrivateFile(files.key, pair.key);
  await writeFile(files.cert, pair.cert, { mode: 0o644 });
  return files;
}

/** Calls back with the pair in files each time that they were replaced by another valid pair. */
export function followPair(
  files: PairFiles,
  options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly onChange: (pair: StoredPair) => void;
  },
): { close(): void } {
  const { clock, log, onChange } = options;
  const reload = (): void => {
    readPair(files).then(onChange, (error: unknown) =>
      log.error("reading a replaced certificate failed", error, { file: files.cert }),
    );
  };
  return watchFiles([files.cert, files.key], { clock, onChange: reload });
}
