import type { Flags, Values } from "./flag.ts";

/** A command of a program, as an object literal; see `command`. */
export interface Command<F extends Flags = Flags> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly short: string;
  /** A few paragraphs, for its own help; absent: `short`. */
  readonly long?: string;
  /** What stands for its arguments in the usage line, like `NAME [FILE…]`. */
  readonly arguments?: string;
  /** How many arguments it takes; absent: none. */
  readonly arity?: { readonly min?: number; readonly max?: number };
  /** Commented command lines, each line as it is to be shown. */
  readonly examples?: string;
  readonly flags?: F;
  /** Flags that all commands below this one take, too. */
  readonly persistentFlags?: Flags;
  readonly commands?: readonly (Command | LazyCommand)[];
  readonly hidden?: boolean;
  /** Does the work, and returns the exit code; absent: it only groups others, and prints its help. */
  run?(context: CommandContext<F>): Promise<number | undefined>;
}

/** A command whose code is loaded when it is used. */
export interface LazyCommand {
  readonly name: string;
  readonly short: string;
  readonly hidden?: boolean;
  load(): Promise<Command>;
}

export interface CommandContext<F extends Flags = Flags> {
  readonly flags: Values<F>;
  /** The values of flags that a command above declared persistent. */
  inherited<P extends Flags>(flags: P): Values<P>;
  /** The names of the flags that were on the command line. */
  readonly given: ReadonlySet<string>;
  readonly args: readonly string[];
  readonly streams: Streams;
  /** Aborts when the program is asked to stop. */
  readonly signal: AbortSignal;
}

export interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Output {
  write(text: string): void;
  /** How wide the terminal is, when it is one. */
  readonly columns?: number | undefined;
}

/** A command whose `run` knows the types of its flags. */
export function command<F extends Flags>(definition: Command<F>): Command {
  // The flags that `run` gets are read by this very definition: the type is lost, the values are right.
  return definition as unknown as Command;
}
