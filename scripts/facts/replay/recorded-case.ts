/** A request, and the status that a setup step waits for. */
export interface Step {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly until?: number;
}
export interface RecordedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
/** One line of a file in `test/facts/recorded`. */
export interface RecordedCase {
  readonly name: string;
  readonly setup?: readonly Step[];
  readonly request: Step;
  readonly response: RecordedAnswer;
}

/** The server that cases are replayed on. */
export interface ReplayClient {
  send(step: Step): Promise<RecordedAnswer>;
}
