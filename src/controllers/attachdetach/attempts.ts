/** A volume that is being attached to a node, as far as events need it. */
interface Attempt {
  /** When the attacher was last asked, or was last given another chance. */
  readonly since: number;
  readonly failures: number;
  /** Before this time the next failure is not told. */
  readonly quietUntil: number;
}

/** What is known of an attachment that is not attached yet. */
export interface AttemptFacts {
  readonly now: number;
  /** What the attacher says that went wrong; undefined while it says nothing. */
  readonly failure: string | undefined;
  /** What to say once it has said nothing for too long. */
  readonly silence: string;
}

export interface AttemptOutcome {
  /** The failure that must be told now. */
  readonly told?: string;
  /** When to look again, in milliseconds. */
  readonly nextMs: number;
}

/** How long an attacher may say nothing. */
const silenceMs = 2 * 60_000;
const firstQuietMs = 500;
const longestQuietMs = 122_000;

/** Failures to attach volumes: each is told at once, then less and less often. */
export class Attempts {
  readonly #attempts = new Map<string, Attempt>();

  /** Looks at an attachment that is not attached yet. */
  look(key: string, { now, failure, silence }: AttemptFacts): AttemptOutcome {
    const attempt = this.#attempts.get(key) ?? { since: now, failures: 0, quietUntil: now };
    this.#attempts.set(key, attempt);
    if (failure === undefined && now < attempt.since + silenceMs)
      return { nextMs: attempt.since + silenceMs - now };
    if (failure !== undefined && now < attempt.quietUntil)
      return { nextMs: attempt.quietUntil - now };
    const quietMs = Math.min(firstQuietMs * 2 ** attempt.failures, longestQuietMs);
    const failures = attempt.failures + 1;
    const since = now + quietMs;
    this.#attempts.set(key, { since, failures, quietUntil: now + quietMs });
    const nextMs = failure === undefined ? quietMs + silenceMs : quietMs;
    return { told: failure ?? silence, nextMs };
  }

  /** Since when a volume is being attached; undefined if it is not. */
  since(key: string): number | undefined {
    return this.#attempts.get(key)?.since;
  }

  end(key: string): void {
    this.#attempts.delete(key);
  }

  /** Forgets the attempts whose keys are not chosen. */
  keep(isChosen: (key: string) => boolean): void {
    for (const key of this.#attempts.keys()) if (!isChosen(key)) this.#attempts.delete(key);
  }
}
