import { Lease } from "../../api/coordination/v1/lease.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { jittered } from "../../base/backoff.ts";
import { sleep, ticksOf, withDeadline } from "../../base/clock.ts";
import { type Log, noLog } from "../../base/log.ts";
import { noMetrics } from "../../base/metrics.ts";
import { formatKey } from "../../client/resource-kind.ts";
import {
  type LeaderElection,
  type LeaderElectionOptions,
  LeadershipLostError,
} from "./leader-election-options.ts";
import { type LeaseRecord, leaseRecord, leaseSpec, leaseTime, sameRecord } from "./lease-record.ts";

/** A candidate that does nothing before `run`. */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return new LeaseElector(options);
}

/** A period of a candidate is drawn from [period, period × 2.2). */
const jitter = 1.2;

/** An instant on both clocks. */
interface Instant {
  readonly ticks: number;
  readonly wall: number;
}

class LeaseElector implements LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #ticks: () => number;
  readonly #durationMs: number;
  readonly #deadlineMs: number;
  readonly #retryMs: number;
  readonly #log: Log;
  readonly #status;
  readonly #slowPaths;
  readonly #ended = new AbortController();
  /** The lease as last read or written: the base of the next update. */
  #lease: Lease | undefined;
  /** The record that was last seen in it, and since when. */
  #record: LeaseRecord = leaseRecord(undefined);
  #seenAt = 0;
  /**
   * When the last renewal that succeeded was sent; undefined while the lease is not held. The leader
   * counts from here, and others from when they saw the result, which is later.
   */
  #renewedAt: Instant | undefined;
  /** Whether `lead` was called: from then on, a lease that another candidate took is not acquired again. */
  #isLeading: boolean = false;
  #reported = "";

  constructor(options: LeaderElectionOptions) {
    const { clock, identity, lease, metrics = noMetrics } = options;
    this.#options = options;
    this.#ticks = options.ticks ?? ticksOf(clock);
    this.#durationMs = options.leaseDurationMs ?? 15_000;
    this.#deadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryMs = options.retryPeriodMs ?? 2_000;
    this.#log = (options.log ?? noLog).with({ lease: formatKey(lease) });
    this.#status = metrics.gauge(masterStatus).of(lease.name);
    this.#slowPaths = metrics.counter(slowPathTotal).of(lease.name);
    this.#status.set(0);
    if (this.#durationMs <= this.#deadlineMs)
      throw new RangeError("leaseDuration must be greater than renewDeadline");
    if (this.#deadlineMs <= jitter * this.#retryMs)
      throw new RangeError("renewDeadline must be greater than retryPeriod*JitterFactor");
    if (this.#retryMs <= 0) throw new RangeError("retryPeriod must be greater than zero");
    if (identity === "") throw new RangeError("Lock identity is empty");
  }

  get name(): string {
    return formatKey(this.#options.lease);
  }

  get leader(): string {
    return this.#record.holder;
  }

  get isLeader(): boolean {
    return this.mayWrite();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  mayWrite(): boolean {
    return this.#leftMs() > 0;
  }

  check(toleranceMs = 0): void {
    const renewed = this.#renewedAt;
    if (renewed && this.#ticks() - renewed.ticks > this.#durationMs + toleranceMs)
      throw new Error(`failed election to renew leadership on lease ${this.#options.lease.name}`);
  }

  async run({ signal, lead }: Parameters<LeaderElection["run"]>[0]): Promise<void> {
    try {
      this.#log.info("attempting to acquire the leader lease");
      if (await this.#acquire(signal)) {
        this.#log.info("acquired the leader lease");
        this.#isLeading = true;
        this.#status.set(1);
        lead(this.signal);
        await this.#renew(signal);
      }
    } finally {
      this.#end();
    }
    if (this.#options.releaseOnStop && this.leader === this.#options.identity)
      await this.#release();
  }

  /** Tries until the lease is held; false when the signal aborts first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      const isHeld = await this.#try(signal);
      this.#report();
      if (isHeld && this.mayWrite()) return !signal.aborted;
      // The pause is never longer than the time until the lease expires.
      const period = jittered(this.#retryMs, jitter, random);
      const expiresIn = this.#expiresInMs();
      const wait = expiresIn > 0 ? Math.min(period, expiresIn) : period;
      await sleep(clock, wait, signal).catch(() => undefined);
    }
    return false;
  }

  /** Renews until the signal aborts; throws when that fails for too long. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, identity } = this.#options;
    for (;;) {
      await sleep(clock, Math.min(this.#retryMs, this.#leftMs()), signal).catch(() => undefined);
      if (signal.aborted) return;
      const left = this.#leftMs();
      if (left <= 0) throw this.#lost("the lease was not renewed in time");
      await withDeadline({ clock, ms: left, signal }, (ending) => this.#try(ending)).catch(
        () => undefined,
      );
      if (signal.aborted) return;
      this.#report();
      if (this.leader !== identity) throw this.#lost(`${this.leader || "nobody"} holds the lease`);
    }
  }

  #lost(why: string): LeadershipLostError {
    this.#log.warn("lost the leader lease", { why });
    return new LeadershipLostError({ cause: new Error(why) });
  }

  /** Tries once to acquire or renew the lease; resolves with whether it is held. */
  async #try(signal: AbortSignal): Promise<boolean> {
    try {
      const isOwn = this.#record.holder === this.#options.identity;
      if (isOwn && this.#lease && this.#expiresInMs() > 0) {
        try {
          return await this.#write(this.#renewed(this.#record), { signal });
        } catch (error) {
          if (signal.aborted) return false;
          this.#log.debug("the lease has changed, reading it again", { error });
        }
      }
      return await this.#readAndWrite(signal);
    } catch (error) {
      if (!signal.aborted) this.#log.warn("reading or writing the leader lease failed", { error });
      return false;
    }
  }

  async #readAndWrite(signal: AbortSignal): Promise<boolean> {
    const { identity } = this.#options;
    const lease = await this.#read(signal);
    if (!lease) return this.#write(this.#renewed(undefined), { signal });
    const record = leaseRecord(lease.spec);
    this.#lease = lease;
    if (!sameRecord(record, this.#record)) {
      this.#record = record;
      this.#seenAt = this.#ticks();
    }
    if (record.holder === identity) this.#slowPaths.add(1);
    else {
      this.#renewedAt = undefined;
      if (this.#isLeading || (record.holder !== "" && this.#expiresInMs() > 0)) return false;
    }
    return this.#write(this.#renewed(record), { signal });
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, lease } = this.#options;
    try {
      return await this.#timed(signal, (ending) => client.get(Lease, lease, { signal: ending }));
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** Writes the lease if nobody changed it since; always true. */
  async #write(record: LeaseRecord, { signal }: { readonly signal: AbortSignal }): Promise<true> {
    const { client, lease: key, labels, identity } = this.#options;
    const lease = this.#lease;
    const sentAt = this.#instant();
    const spec = leaseSpec(record);
    const metadata = lease?.metadata ?? key;
    const written = { metadata: labels ? withLabels(metadata, labels) : metadata, spec };
    this.#lease = await this.#timed(signal, (ending) =>
      lease
        ? client.update(Lease, { ...lease, ...written }, { signal: ending })
        : client.create(Lease, written, { signal: ending }),
    );
    this.#record = record;
    this.#seenAt = sentAt.ticks;
    this.#renewedAt = record.holder === identity && !this.signal.aborted ? sentAt : undefined;
    return true;
  }

  /** A single call takes half of the renew deadline at most. */
  #timed<T>(signal: AbortSignal, call: (ending: AbortSignal) => Promise<T>): Promise<T> {
    const ms = Math.max(this.#deadlineMs / 2, 1000);
    return withDeadline({ clock: this.#options.clock, ms, signal }, call);
  }

  /** The record that follows `old`. */
  #renewed(old: LeaseRecord | undefined): LeaseRecord {
    const { identity, clock } = this.#options;
    const now = leaseTime(clock.now());
    const isOwn = old?.holder === identity;
    return {
      holder: identity,
      durationSeconds: Math.ceil(this.#durationMs / 1000),
      transitions: old === undefined ? 0 : old.transitions + (isOwn ? 0 : 1),
      acquireTime: isOwn ? old.acquireTime : now,
      renewTime: now,
    };
  }

  /** Releases the lease, if this candidate still holds it. */
  async #release(): Promise<void> {
    const { clock, identity } = this.#options;
    try {
      await withDeadline({ clock, ms: this.#deadlineMs }, async (signal) => {
        const lease = await this.#read(signal);
        const record = leaseRecord(lease?.spec);
        if (!lease || record.holder !== identity) return;
        this.#lease = lease;
        const now = leaseTime(clock.now());
        await this.#write(
          { ...record, holder: "", durationSeconds: 1, acquireTime: now, renewTime: now },
          { signal },
        );
      });
    } catch (error) {
      this.#log.warn("releasing the leader lease failed", { error });
    }
  }

  /** Ends the leadership: no write starts after this. */
  #end(): void {
    this.#renewedAt = undefined;
    this.#status.set(0);
    this.#ended.abort(new LeadershipLostError());
  }

  /**
   * For how long writes may still start. The clock on which more time has passed counts: the monotonic
   * one may have stopped while the machine slept.
   */
  #leftMs(): number {
    const renewed = this.#renewedAt;
    if (!renewed) return 0;
    const now = this.#instant();
    const passed = Math.max(now.ticks - renewed.ticks, now.wall - renewed.wall);
    return this.#deadlineMs - passed;
  }

  /** The time until the lease expires if nobody renews it, by the monotonic clock. */
  #expiresInMs(): number {
    return this.#seenAt + this.#record.durationSeconds * 1000 - this.#ticks();
  }

  #instant(): Instant {
    return { ticks: this.#ticks(), wall: this.#options.clock.now() };
  }

  #report(): void {
    if (this.leader === this.#reported) return;
    this.#reported = this.leader;
    this.#log.info("there is a new leader", { leader: this.leader });
    this.#options.onNewLeader?.(this.leader);
  }
}

const withLabels = (
  metadata: Lease["metadata"],
  labels: Readonly<Record<string, string>>,
): Lease["metadata"] => ({ ...metadata, labels: { ...metadata.labels, ...labels } });

const masterStatus = {
  name: "leader_election_master_status",
  help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
  labels: ["name"],
} as const;
const slowPathTotal = {
  name: "leader_election_slowpath_total",
  help: "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. Please make sure to group by name.",
  labels: ["name"],
} as const;
