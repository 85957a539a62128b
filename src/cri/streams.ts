/** What a command came to. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** With what a stream is made. */
export interface StreamTarget {
  readonly containerId: string;
  /** Of an exec alone. */
  readonly command?: readonly string[] | undefined;
  readonly tty: boolean;
}

/** The streams of one who runs a command, or has attached to a container. */
export interface StreamSession {
  /** What is typed; absent where nothing is. It ends when no more is. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Each resolves when more is welcome; absent where nobody reads. */
  readonly stdout?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  readonly stderr?: ((bytes: Uint8Array) => Promise<void>) | undefined;
  /** The sizes of the terminal, as they change. */
  readonly resize?: AsyncIterable<TerminalSize> | undefined;
  /** Aborted when nobody is there any more. */
  readonly signal: AbortSignal;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Which of a container's log is wanted. */
export interface LogOptions {
  /** Only the last so many lines; all if not given. */
  readonly tailLines?: number | undefined;
  /** Only what was written then or later, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Whether to wait for what is yet to be written, until the container has ended. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** A line of a log. */
export interface LogPiece {
  readonly stream: "stdout" | "stderr";
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number;
  /** With its newline, unless it was the last and had none. */
  readonly text: string;
}
