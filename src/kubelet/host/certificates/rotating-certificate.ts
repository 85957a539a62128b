import type { KubernetesSigner } from "../../../api/certificates/signers.ts";
import { delays } from "../../../base/backoff.ts";
import { type Clock, sleep, withDeadline } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { aborted } from "../../../base/on-abort.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import type { CertificateMetrics } from "./certificate-metrics.ts";
import type { CertificateStore, StoredPair } from "./certificate-store.ts";
import { type CertificateTemplate, fulfilsTemplate } from "./certificate-template.ts";
import { keyPem, newKey } from "./new-key.ts";
import { requestCertificate } from "./request-certificate.ts";
import { rotationTime } from "./rotation-time.ts";

export interface RotatingCertificateOptions {
  readonly store: CertificateStore;
  /** The pair to start with, if any. */
  readonly initial: StoredPair | undefined;
  readonly signerName: KubernetesSigner;
  readonly usages: readonly string[];
  /** The certificate that is needed; undefined while it is unknown. */
  readonly template: () => CertificateTemplate | undefined;
  /** The client that requests certificates. */
  readonly client: Client;
  readonly metrics: CertificateMetrics;
  /** Called with each new pair. */
  readonly onChange: (pair: StoredPair) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A certificate that is requested from the cluster, and replaced before it expires. */
export class RotatingCertificate {
  readonly #options: RotatingCertificateOptions;
  readonly #stop = new AbortController();
  #current: StoredPair | undefined;
  #wake = new AbortController();
  /** The template of the request that is waited for. */
  #requested: CertificateTemplate | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RotatingCertificateOptions) {
    this.#options = options;
    this.#current = options.initial;
  }

  /** The pair in use; undefined while there is none, or it has expired. */
  get current(): StoredPair | undefined {
    const isValid = this.#current && this.#current.notAfter > this.#options.clock.now();
    return isValid ? this.#current : undefined;
  }

  /** Requests certificates from now on, until `close`. */
  start(): void {
    this.#running = this.#run();
  }

  /** Says that the template may have changed. */
  templateChanged(): void {
    const { template } = this.#options;
    if (JSON.stringify(this.#requested) !== JSON.stringify(template())) this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random, log } = this.#options;
    let rotateAt = this.#rotationTime();
    let nextDelay = delays(retry, random);
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      const template = this.#options.template();
      const due = template === undefined ? never : this.#fulfils(template) ? rotateAt : 0;
      await pause(clock, Math.min(due - clock.now(), longestPauseMs), signal);
      if (signal.aborted || !template || clock.now() < due) continue;
      try {
        await this.#rotate(template, signal);
        // A clock that is far ahead of the signer's finds each new certificate old.
        rotateAt = Math.max(this.#rotationTime(), clock.now() + shortestUseMs);
        nextDelay = delays(retry, random);
      } catch (error) {
        if (signal.aborted) continue;
        this.#options.metrics.failed();
        log.error("requesting a certificate failed", error, { signer: this.#options.signerName });
        await pause(clock, nextDelay(), signal);
      }
    }
  }

  #fulfils(template: CertificateTemplate): boolean {
    return this.#current !== undefined && fulfilsTemplate(this.#current.certificate, template);
  }

  #rotationTime(): number {
    const { clock, random } = this.#options;
    return this.#current ? rotationTime(this.#current, random) : clock.now();
  }

  async #rotate(template: CertificateTemplate, signal: AbortSignal): Promise<void> {
    const { client, clock, store, signerName, usages, metrics, log, onChange } = this.#options;
    const key = newKey();
    this.#requested = template;
    const deadline = { clock, ms: waitMs, signal };
    const cert = await withDeadline(deadline, (ending) =>
      requestCertificate(client, { template, key, signerName, usages }, ending),
    ).finally(() => {
      this.#requested = undefined;
    });
    const old = this.#current;
    this.#current = await store.update({ cert, key: keyPem(key) }, new Date(clock.now()));
    if (old) metrics.rotated((clock.now() - old.notBefore) / 1000);
    log.info("took a new certificate into use", { signer: signerName, file: store.path });
    onChange(this.#current);
  }
}

/** The clock may be set meanwhile: certificates expire by it. */
const longestPauseMs = 10 * 60_000;
const shortestUseMs = 60_000;
const never = Number.POSITIVE_INFINITY;
/** How long a request may wait to be approved and signed. */
const waitMs = 15 * 60_000;
const retry = { duration: 2000, factor: 2, jitter: 0.1, steps: 4 };

/** Waits for so long, or until the signal aborts. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  if (Number.isFinite(ms)) await sleep(clock, ms, signal).catch(() => undefined);
  else await aborted(signal);
}
