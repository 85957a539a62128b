import { readdirSync } from "node:fs";
import {
  beginning,
  type Candidates,
  directives,
  objectNames,
  type Rule,
  type TypedLine,
  templateWords,
} from "./candidates.ts";

/** The first argument of `kubectl cp`: `NAMESPACE/POD:`, `POD:`, or a local file. */
export const copySource: Rule = async (line) => ({
  words: line.args.length === 0 ? await sources(line) : [],
  directive: directives.noSpace,
});

async function sources(line: TypedLine): Promise<Candidates["words"]> {
  const { word, program } = line;
  if (/^[/.~]/.test(word) || word.includes(":")) return [];
  const slash = word.indexOf("/");
  if (slash > 0)
    return templateWords(
      line,
      ["pod", `--namespace=${word.slice(0, slash)}`],
      "{{ range .items }}{{ .metadata.namespace }}/{{ .metadata.name }}: {{ end }}",
    );
  const namespaces = (await objectNames(line, "namespace")).map((name) => `${name}/`);
  const pods = (await objectNames(line, "pod")).map((name) => `${name}:`);
  const found = [...namespaces, ...pods];
  if (word === "") return [...found, "./", "/"];
  if (found.length === 0) return found;
  const files = readdirSync(program.cwd, { withFileTypes: true }).map((file) =>
    file.isDirectory() ? `${file.name}/` : file.name,
  );
  return [...found, ...beginning(files, word)];
}
