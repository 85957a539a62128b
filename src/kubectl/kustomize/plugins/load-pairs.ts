import { quote } from "../../../schema/values/quote.ts";
import type { GeneratorArguments } from "../config/kustomization.ts";
import { inContextAsync, KustomizeError } from "../kustomize-error.ts";
import type { Loader } from "../loading/loader.ts";

/** The values of a generator by their keys; throws where a key is there twice. */
export async function loadPairs(
  { name, envs, literals, files }: GeneratorArguments,
  loader: Loader,
): Promise<Map<string, Uint8Array>> {
  const pairs = await inContextAsync("loading KV pairs", async () => [
    ...(await inContextAsync(`env source files: [${envs.join(" ")}]`, () =>
      envPairs(envs, loader),
    )),
    ...(await inContextAsync(`literal sources [${literals.join(" ")}]`, async () =>
      literals.map(literalPair),
    )),
    ...(await inContextAsync(`file sources: [${files.join(" ")}]`, () => filePairs(files, loader))),
  ]);
  const data = new Map<string, Uint8Array>();
  for (const [key, value] of pairs) {
    if (data.has(key)) {
      throw new KustomizeError(`configmap ${name} illegally repeats the key \`${key}\``);
    }
    data.set(key, value);
  }
  return data;
}

type Pair = readonly [key: string, value: Uint8Array];

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

async function envPairs(paths: readonly string[], loader: Loader): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const path of paths) {
    const lines = linesOf(await loader.load(path));
    for (const [i, line] of lines.entries()) pairs.push(...envPair(line, i));
  }
  return pairs;
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let from = 0;
  while (from < bytes.length) {
    const found = bytes.indexOf(newline, from);
    const end = found < 0 ? bytes.length : found;
    const hasReturn = bytes[end - 1] === carriageReturn && end > from;
    lines.push(bytes.subarray(from, hasReturn ? end - 1 : end));
    from = end + 1;
  }
  return lines;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

function envPair(bytes: Uint8Array, index: number): Pair[] {
  let line: string;
  try {
    line = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const text = new TextDecoder().decode(bytes);
    throw new KustomizeError(`line [${bytes.join(" ")}] has invalid utf8 bytes : ${text}`, {
      cause,
    });
  }
  if (index === 0) line = line.replace(/^\ufeff/, "");
  line = line.replace(/^[\s\u0085]+/, "");
  if (line === "" || line.startsWith("#")) return [];
  const at = line.indexOf("=");
  const key = at < 0 ? line : line.slice(0, at);
  return key === "" ? [] : [[key, encoded(at < 0 ? "" : line.slice(at + 1))]];
}

function literalPair(source: string): Pair {
  const at = source.indexOf("=");
  if (at <= 0) {
    throw new KustomizeError(`invalid literal source ${source}, expected key=value`);
  }
  return [source.slice(0, at), encoded(withoutQuotes(source.slice(at + 1)))];
}

function withoutQuotes(text: string): string {
  const quoted = text.length >= 2 && text[0] === text.at(-1) && /^["']/.test(text);
  return quoted ? text.slice(1, -1) : text;
}

async function filePairs(sources: readonly string[], loader: Loader): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const source of sources) {
    const [key, path] = fileSource(source);
    pairs.push([key, await loader.load(path)]);
  }
  return pairs;
}

function fileSource(source: string): [key: string, path: string] {
  const [key = "", path, ...more] = source.split("=");
  if (path === undefined) return [baseName(source), source];
  if (more.length > 0) {
    throw new KustomizeError(`source ${quote(source)} key name or file path contains '='`);
  }
  if (key === "") {
    throw new KustomizeError(
      `missing key name for file path ${quote(path)} in source ${quote(source)}`,
    );
  }
  if (path === "") {
    throw new KustomizeError(
      `missing file path for key name ${quote(key)} in source ${quote(source)}`,
    );
  }
  return [key, path];
}

function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed.slice(trimmed.lastIndexOf("/") + 1) || (path === "" ? "." : "/");
}
