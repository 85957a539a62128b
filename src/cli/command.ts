import type { Flags, Values } from "./flag.ts";

/** A command of a program, as an object literal; see `command`. */
export interface Command<F extends Flags = Flags> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly short: string;
  /** A few paragraphs for its own help; by default `short`. */
  readonly long?: string;
  /** Its arguments in the usage line, such as `NAME [FILE…]`. */
  readonly arguments?: string;
  /** How many arguments it takes; by default none. */
  readonly arity?: { readonly min?: number; readonly max?: number };
  /** Command lines with comments, printed unchanged. */
  readonly examples?: string;
  readonly flags?: F;
  /** Flags that all commands below this one accept, too. */
  readonly persistentFlags?: Flags;
  readonly commands?: readonly (Command | LazyCommand)[];
  readonly hidden?: boolean;
  /** Whether all that follows its name is passed on unread: a program of its own reads it. */
  readonly passesArguments?: boolean;
  /** Does the work and returns the exit code; a command without it only groups others, and prints help. */
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
  /** Aborts when the program receives a signal to stop. */
  readonly signal: AbortSignal;
}

export interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Output {
  write(text: string): void;
  /** The width of the terminal; absent if it is not a terminal. */
  readonly columns?: number | undefined;
}

/** A command whose `run` knows the types of its flags. */
export function command<F extends Flags>(definition: Command<F>): Command {
  // `run` gets flags parsed by this definition: the cast restores the type that is lost.
  return definition as unknown as Command;
}
