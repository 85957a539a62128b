/** The result of a command. Of each stream, what follows the first `mostExecBytes` is dropped. */
export interface ExecResult {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}

/** 16 MiB, as containerd and CRI-O have it. */
export const mostExecBytes = 16 * 1024 * 1024;

/** The container that a client attaches to, or runs a command in. */
export interface StreamTarget {
  readonly containerId: string;
  /** For exec only. */
  readonly command?: readonly string[] | undefined;
  readonly tty: boolean;
}

/** The streams of a client of exec or attach. */
export interface StreamSession {
  /** The input; absent if there is none. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Writes output; resolves when more can be written. Absent if the client does not read it. */
  readonly stdout?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  readonly stderr?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  /** Changes of the terminal's size. */
  readonly resize?: AsyncIterable<TerminalSize> | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The two directions of a forwarded connection. */
export interface ForwardSession {
  /** What the client sends, until it sends no more. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes what the pod sends; resolves when more can be written. */
  readonly output: (bytes: Uint8Array) => Promise<void>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Which part of a container's log to read. */
export interface LogOptions {
  /** How many of the last lines to read; by default all. */
  readonly tailLines?: number | undefined;
  /** Only lines written at this time or later, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Whether to follow the log until the container has ended. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** A line of a log, or a part of a very long one, which its newline ends. */
export interface LogPiece {
  readonly stream: "stdout" | "stderr";
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number;
  /** The nanoseconds since that millisecond began. */
  readonly nanos: number;
  /** With its newline, unless the last line had none. */
  readonly bytes: Uint8Array;
}
