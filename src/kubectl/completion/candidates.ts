import type { GivenValues } from "../../cli/parse-flags.ts";
import { type Program, runKubectl } from "../program/run-kubectl.ts";

/** What shells do with candidates: the numbers of cobra's protocol. */
export const directives = {
  default: 0,
  noSpace: 2,
  noFiles: 4,
  fileExtensions: 8,
} as const;

/** What may come next on a command line. */
export interface Candidates {
  /** Each with a description behind a tab, if there is one. */
  readonly words: readonly string[];
  readonly directive: number;
}

/** A command line as far as it is typed. */
export interface TypedLine {
  readonly program: Program;
  readonly given: GivenValues;
  /** The arguments before the word. */
  readonly args: readonly string[];
  /** The word that is to be completed. */
  readonly word: string;
}

/** Chooses the candidates for an argument or the value of a flag. */
export type Rule = (line: TypedLine) => Promise<Candidates> | Candidates;

export const withoutFiles = (words: readonly string[]): Candidates => ({
  words,
  directive: directives.noFiles,
});

/** Words that begin as what is typed. */
export const beginning = (words: readonly string[], typed: string): string[] =>
  words.filter((word) => word.startsWith(typed));

/** The flags of the typed line that name the server and the namespace. */
const passedFlags = [
  "kubeconfig",
  "context",
  "cluster",
  "user",
  "namespace",
  "server",
  "token",
  "as",
  "as-uid",
  "as-group",
  "username",
  "password",
  "certificate-authority",
  "client-certificate",
  "client-key",
  "insecure-skip-tls-verify",
  "tls-server-name",
  "cache-dir",
  "request-timeout",
];

/** What a command prints, run with the connection of the typed line; nothing if it fails. */
export async function outputOf(
  { program, given }: Pick<TypedLine, "program" | "given">,
  args: readonly string[],
): Promise<string> {
  const flags = passedFlags.flatMap((name) =>
    [given.get(name) ?? []].flat().map((value) => `--${name}=${String(value)}`),
  );
  let text = "";
  const io = {
    ...program.io,
    stdout: {
      write(part: string | Uint8Array) {
        text += Buffer.from(part).toString();
      },
    },
    stderr: { write() {} },
  };
  const [command = "", ...rest] = args;
  await runKubectl({ ...program, io }, [command, ...flags, ...rest]);
  return text;
}

/** The words that a template prints of the objects that `kubectl get` finds. */
export async function templateWords(
  line: TypedLine,
  args: readonly string[],
  template: string,
  typed = line.word,
): Promise<string[]> {
  const output = ["--output=go-template", `--template=${template}`];
  const text = await outputOf(line, ["get", ...output, ...args]);
  return beginning(text.split(" "), typed).filter((word) => word !== "");
}

/** The names of the objects of a type. */
export const objectNames = (line: TypedLine, type: string, typed = line.word): Promise<string[]> =>
  templateWords(line, [type], "{{ range .items  }}{{ .metadata.name }} {{ end }}", typed);

/** The types of resources, after those that are typed already: `pods,se`. */
export async function resourceTypes(line: TypedLine): Promise<string[]> {
  const comma = line.word.lastIndexOf(",") + 1;
  const args = ["api-resources", "--output=name", "--cached", "--verbs=get"];
  const names = (await outputOf(line, args)).split("\n").filter((name) => name !== "");
  return beginning(names, line.word.slice(comma)).map((name) => line.word.slice(0, comma) + name);
}
