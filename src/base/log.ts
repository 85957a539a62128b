/** The fields of a message; never a credential. */
export type Fields = Readonly<Record<string, unknown>>;

/** Messages are constant and lower-case; what varies goes into fields. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  /** An error is logged once, where it is handled. */
  error(message: string, error: unknown, fields?: Fields): void;
  /** The same log with fields added to every message. */
  with(fields: Fields): Log;
}

/** A log that drops every message. */
export const noLog: Log = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  with: () => noLog,
};

function ignore(): void {}
