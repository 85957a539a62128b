/** Where a command reads and writes. In a process that is its terminal; in a program, values. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Output {
  write(text: string | Uint8Array): void;
  /** The width of the terminal; absent if it is not a terminal. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Calls back when the size of the terminal has changed; the returned function unsubscribes. */
  onResize?(call: () => void): () => void;
  /** The file that a program which this one starts may write to, too; absent where output is collected. */
  readonly descriptor?: number;
}

export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
  /** Passes each key on at once, and unseen, and leaves output as it is; only terminals can do that. */
  setRawMode?(isRaw: boolean): void;
  /** The file that a program which this one starts may read; absent where input is a value. */
  readonly descriptor?: number;
}

/** Whether an output is a terminal. */
export const isTerminal = ({ columns }: Output): boolean => columns !== undefined;

/** Reads an input to its end. */
export async function readAll(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return Buffer.concat(chunks);
}
