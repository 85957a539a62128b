import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { sleep } from "../../base/clock.ts";
import { TransportError } from "../../client/transport.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Factory } from "../factory/factory.ts";
import { type Input, readAll } from "../program/io.ts";
import type { InfoMaker } from "./info-maker.ts";
import { decodeText, readDocuments } from "./read-documents.ts";
import { tracedVisitor, type Visit, type Visitor } from "./visitor.ts";

/** What file visitors need. */
export interface SourceContext {
  readonly maker: InfoMaker;
  readonly stdin: Input;
  readonly cwd: string;
  readonly factory: Factory;
  /** Checks a document before it becomes an object. */
  readonly validate?: ((value: unknown, text: string) => Promise<void>) | undefined;
  /** Prints a line to standard error. */
  warn(line: string): void;
  log(text: string): void;
}

/** Files with other endings are left out where a folder is read. */
const fileExtensions: readonly string[] = [".json", ".yaml", ".yml"];

/** The visitor of a text with objects. */
function streamVisitor(
  source: string,
  read: () => Promise<string>,
  { maker, validate }: SourceContext,
  { isGenerated = false } = {},
): Visitor {
  return {
    name: "StreamVisitor",
    async visit(fn: Visit) {
      const manifest = await read();
      const documents = readDocuments(manifest);
      for (;;) {
        const next = nextDocument(documents, source);
        if (next.done) return;
        const { value, text, start } = next.value;
        try {
          await validate?.(value, text);
        } catch (error) {
          throw new Error(`error validating ${quote(source)}: ${(error as Error).message}`, {
            cause: error,
          });
        }
        const place = isGenerated ? undefined : { manifest, start, document: text, path: [] };
        const made = await maker
          .ofDocument(value, { source, place })
          .catch((error: Error) => error);
        if (made instanceof Error) await fn(maker.unknown(source), made);
        else await fn(made);
      }
    },
  };
}

function nextDocument<T>(documents: Generator<T>, source: string): IteratorResult<T> {
  try {
    return documents.next();
  } catch (error) {
    throw new Error(`error parsing ${source}: ${(error as Error).message}`, { cause: error });
  }
}

/** A text with objects, and what messages call it. */
export interface SourceText {
  readonly source: string;
  readonly text: string;
}

/** The visitor of a text. */
export const textVisitor = ({ source, text }: SourceText, context: SourceContext): Visitor =>
  tracedVisitor(
    streamVisitor(source, async () => text, context),
    context.log,
  );

/** The visitor of standard input. */
export function stdinVisitor(context: SourceContext): Visitor {
  const read = async (): Promise<string> => decodeText(await readAll(context.stdin));
  return fileVisitorOf("STDIN", read, context);
}

function fileVisitorOf(
  source: string,
  read: () => Promise<string>,
  context: SourceContext,
): Visitor {
  const stream = tracedVisitor(streamVisitor(source, read, context), context.log);
  return tracedVisitor({ name: "FileVisitor", visit: (fn) => stream.visit(fn) }, context.log);
}

/** The visitors of a path: a file, or the files of a folder. */
export async function pathVisitors(
  path: string,
  isRecursive: boolean,
  context: SourceContext,
): Promise<readonly Visitor[]> {
  const files = await filesOf(path, isRecursive, context.cwd);
  return files.map((file) =>
    fileVisitorOf(
      file,
      async () => decodeText(await readFile(resolve(context.cwd, file))),
      context,
    ),
  );
}

async function filesOf(path: string, isRecursive: boolean, cwd: string): Promise<string[]> {
  const found = await stat(resolve(cwd, path)).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    if (found.code === "ENOENT" || found.code === "ENOTDIR")
      throw new Error(`the path ${quote(path)} does not exist`);
    throw new Error(`the path ${quote(path)} cannot be accessed: ${found.message}`);
  }
  if (!found.isDirectory()) return [path];
  const files: string[] = [];
  const entries = await readdir(resolve(cwd, path), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) {
      if (isRecursive) files.push(...(await filesOf(inside, true, cwd)));
    } else if (fileExtensions.includes(extname(entry.name))) files.push(inside);
  }
  return files;
}

const urlAttempts = 3;

/** The visitor of a URL, which is requested again when the server fails. */
export function urlVisitor(url: URL, context: SourceContext): Visitor {
  const read = async (): Promise<string> => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(url).catch((cause: Error) => cause);
      if (response instanceof Error) {
        if (attempt === urlAttempts) throw urlError(url, response);
      } else {
        if (response.status === 200)
          return decodeText(new Uint8Array(await response.arrayBuffer()));
        const status = `${response.status} ${response.statusText}`;
        if (attempt === urlAttempts || response.status < 500)
          throw new Error(
            `unable to read URL ${quote(url.href)}, server reported ${status}, status code=${response.status}`,
          );
      }
      await sleep(context.factory.clock, 1000);
    }
  };
  const stream = tracedVisitor(streamVisitor(url.href, read, context), context.log);
  return tracedVisitor({ name: "URLVisitor", visit: (fn) => stream.visit(fn) }, context.log);
}

function urlError(url: URL, error: Error): Error {
  const { code, message } = (error.cause ?? error) as { code?: string; message: string };
  const host = url.host.includes(":")
    ? url.host
    : `${url.host}:${url.protocol === "https:" ? 443 : 80}`;
  const reason =
    code === "ECONNREFUSED" ? `dial tcp ${host}: connect: connection refused` : message;
  return new TransportError(reason, { cause: error });
}

/** The visitor of a folder with a kustomization. */
export function kustomizeVisitor(path: string, context: SourceContext): Visitor {
  const read = async (): Promise<string> => {
    const { buildLocalKustomization } = await import("../kustomize/build-local-kustomization.ts");
    const { yaml, warnings } = await buildLocalKustomization(path, { cwd: context.cwd });
    for (const line of warnings) context.warn(line);
    return yaml;
  };
  const stream = tracedVisitor(
    streamVisitor(path, read, context, { isGenerated: true }),
    context.log,
  );
  return tracedVisitor({ name: "KustomizeVisitor", visit: (fn) => stream.visit(fn) }, context.log);
}

/** The files that match a pattern; a text without matches stands for itself. */
export async function expandPattern(pattern: string, cwd: string): Promise<readonly string[]> {
  if (!/[*?[]/.test(pattern)) return [pattern];
  const exists = await stat(resolve(cwd, pattern)).then(
    () => true,
    () => false,
  );
  if (exists) return [pattern];
  const matches = await matchingPaths(pattern, cwd);
  if (matches.length === 0) throw new Error(`the path ${quote(pattern)} does not exist`);
  return matches;
}

async function matchingPaths(pattern: string, cwd: string): Promise<string[]> {
  const isAbsolute = pattern.startsWith("/");
  let paths = [isAbsolute ? "/" : ""];
  for (const part of pattern.split("/").filter((name) => name !== "")) {
    if (!/[*?[]/.test(part)) {
      paths = paths.map((path) => join(path, part));
      continue;
    }
    const matches = globPart(part);
    const next = await Promise.all(
      paths.map(async (path) => {
        const names = await readdir(resolve(cwd, path || ".")).catch(() => []);
        return names
          .filter((name) => matches.test(name))
          .sort()
          .map((name) => join(path, name));
      }),
    );
    paths = next.flat();
  }
  const exist = await Promise.all(
    paths.map((path) =>
      stat(resolve(cwd, path)).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return exist.flat();
}

/** A part of a path pattern as a regular expression: `*`, `?` and sets of characters. */
function globPart(part: string): RegExp {
  const source = part.replaceAll(/\[\^?[^\]]*\]|[*?]|[^\w]/g, (text) => {
    if (text === "*") return "[^/]*";
    if (text === "?") return "[^/]";
    return text.startsWith("[") ? text : `\\${text}`;
  });
  return new RegExp(`^${source}$`, "u");
}
