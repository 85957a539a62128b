import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Pki, pkiDueAt } from "../../platform/pki/pki.ts";
import { watchFiles } from "../../platform/watch-files.ts";

export interface FollowPkiOptions {
  /** The certificates in use. */
  readonly pki: Pki;
  /** A file in the folder of the certificates. */
  readonly path: string;
  /** Loads all certificates, and renews those that are due. */
  readonly load: () => Promise<Pki>;
  /** Uses other certificates from now on. */
  readonly apply: (pki: Pki) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longer timers overflow in Node. */
const longestMs = 20 * 86_400_000;
/** After a failure, and so that a certificate that cannot be renewed is not tried all the time. */
const retryMs = 60_000;

/**
 * Renews the certificates of a cluster before they expire, and uses those that another program has written, such as
 * `wherry certs renew`. If that fails, the previous ones stay in use, and it is tried again.
 */
export function followPki(options: FollowPkiOptions): { close(): void } {
  const { path, load, apply, clock, log } = options;
  let { pki } = options;
  let timer: Timer | undefined;
  let isClosed = false;
  const wait = (ms: number): void => {
    timer?.cancel();
    if (!isClosed) timer = clock.setTimer(Math.min(Math.max(ms, 0), longestMs), renew);
  };
  const waitUntilDue = (): void => wait(Math.max(pkiDueAt(pki) - clock.now(), 0) + 1);
  let renewing: Promise<void> = Promise.resolve();
  const renew = (): void => {
    renewing = renewing.then(async () => {
      if (isClosed) return;
      try {
        const loaded = await load();
        const isNew = contents(loaded) !== contents(pki);
        if (isNew) await apply(loaded);
        pki = loaded;
        if (isNew) log.info("certificates renewed", { due: new Date(pkiDueAt(pki)).toISOString() });
        // An authority that somebody else must renew stays due.
        if (pkiDueAt(pki) <= clock.now()) wait(retryMs);
        else waitUntilDue();
      } catch (error) {
        log.error("renewing certificates failed", error);
        wait(retryMs);
      }
    });
  };
  waitUntilDue();
  const files = watchFiles([path], { clock, onChange: renew });
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      files.close();
    },
  };
}

/** All that a change of the files can change; a key changes with its certificate, or alone to change the signer. */
const contents = (pki: Pki): string =>
  [pki.ca, pki.kubeletCa, pki.frontProxyCa, pki.apiserver, pki.admin]
    .concat(pki.kubeletClient, pki.frontProxyClient)
    .flatMap(({ cert, key }) => [cert, key])
    .concat(pki.serviceAccount.publicKey)
    .join("");
