import type { Flags, Values } from "../../cli/flag.ts";
import type { Factory } from "../factory/factory.ts";
import type { Io } from "./io.ts";

/** A command of kubectl, as an object literal; see `kubectlCommand`. */
export interface KubectlCommand<F extends Flags = Flags> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Of an alias in the user's preferences: the command that it stands for, such as `set image`. */
  readonly standsFor?: string;
  /** What follows the command's name in its usage line: `(-f FILENAME | TYPE NAME)`. */
  readonly usage?: string;
  /** One line, for the list of commands. */
  readonly short: string;
  /** A few paragraphs for its own help; by default `short`. */
  readonly long?: string;
  /** Command lines with comments, printed with an indentation of two spaces. */
  readonly examples?: string;
  readonly flags?: F;
  /** Flags that the commands below this one accept, too. */
  readonly persistentFlags?: Flags;
  /** Flags that must be given. */
  readonly requiredFlags?: readonly (keyof F & string)[];
  /** Sets of flags of which only one may be given. */
  readonly exclusiveFlags?: readonly (readonly (keyof F & string)[])[];
  readonly commands?: readonly LazyCommand[];
  readonly hidden?: boolean;
  /** Where a command that only groups others prints its help; stderr if not given. */
  readonly helpTo?: "stdout" | "stderr";
  /** Why the command should not be used any more; printed when it is used. */
  readonly deprecated?: string;
  /** Added to the exit code 1 of errors: `diff` keeps 1 for differences. */
  readonly errorExitOffset?: number;
  /** Checks how many arguments there are, with cobra's messages. */
  readonly arity?: Arity;
  /** Does the work. Without it the command only groups others: it prints its help, and fails. */
  run?(context: CommandContext<F>): Promise<number | undefined>;
}

/** How many arguments a command takes; without it, any number. */
export interface Arity {
  readonly min?: number;
  readonly max?: number;
}

/** A command whose code is loaded when it is used; the rest is what lists of commands need. */
export interface LazyCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly short: string;
  readonly hidden?: boolean;
  /** Names of other programs' commands by which users may look for this one. */
  readonly suggestFor?: readonly string[];
  load(): Promise<KubectlCommand>;
}

export interface CommandContext<F extends Flags = Flags> {
  readonly flags: Values<F>;
  /** The names of the flags that were on the command line. */
  readonly given: ReadonlySet<string>;
  readonly args: readonly string[];
  /** How many of the arguments stand before `--`; undefined without it. */
  readonly dashAt: number | undefined;
  /** The full name of the command, such as `kubectl create secret`. */
  readonly path: string;
  /** The same as it was typed, which may be an alias. */
  readonly calledAs: string;
  /** The values of flags that a command above declared persistent. */
  inherited<P extends Flags>(flags: P): Values<P>;
  readonly io: Io;
  readonly factory: Factory;
  readonly env: Environment;
  /** The folder to which relative paths refer. */
  readonly cwd: string;
  /** Aborts when the program receives a signal to stop. */
  readonly signal: AbortSignal;
  /** Prints the help of this command. */
  help(to?: "stdout" | "stderr"): void;
  /** The full name of the command that words lead to; undefined if the first names none. */
  builtInPath(words: readonly string[]): Promise<string | undefined>;
  /** Runs another command line in the same surroundings: `kubectl debug` attaches, for example. */
  runOther(args: readonly string[]): Promise<number>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A command whose `run` knows the types of its flags. */
export function kubectlCommand<F extends Flags>(definition: KubectlCommand<F>): KubectlCommand {
  // `run` gets flags parsed by this definition: the cast restores the type that is lost.
  return definition as unknown as KubectlCommand;
}
