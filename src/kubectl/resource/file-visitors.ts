import { quote } from "../../schema/values/quote.ts";
import { joinedErrors } from "../program/command-error.ts";
import type { ResourceQuery } from "./find-resources.ts";
import {
  expandPattern,
  kustomizeVisitor,
  pathVisitors,
  type SourceContext,
  stdinVisitor,
  textVisitor,
  urlVisitor,
} from "./sources.ts";
import type { Visitor } from "./visitor.ts";

/** The visitors of the files that a query names, and whether they are one object at most. */
export interface FileVisitors {
  readonly visitors: readonly Visitor[];
  readonly isSingleItem: boolean;
}

/** Finds the files of a query; throws the problems of all names together. */
export async function fileVisitors(
  { filenames = [], isRecursive = false, kustomize, texts = [], isStdinUsed }: ResourceQuery,
  context: SourceContext,
): Promise<FileVisitors> {
  if (kustomize && filenames.length > 0) throw new Error("only one of -f or -k can be specified");
  if (kustomize && isRecursive) throw new Error("the -k flag can't be used with -f or -R");
  const errors: Error[] = [];
  const visitors: Visitor[] = [];
  let isFolder = false;
  if (filenames.filter((name) => name === "-").length > (isStdinUsed ? 0 : 1))
    errors.push(new Error("standard input cannot be used for multiple arguments"));
  for (const name of filenames) {
    const found = await visitorsOf(name, isRecursive, context).catch((error: Error) => error);
    if (found instanceof Error) errors.push(found);
    else {
      visitors.push(...found);
      isFolder ||= found.length > 1;
    }
  }
  const error = joinedErrors(errors);
  if (error) throw error;
  if (kustomize) visitors.push(kustomizeVisitor(kustomize, context));
  visitors.push(...texts.map((text) => textVisitor(text, context)));
  const isStream = filenames.includes("-");
  return { visitors, isSingleItem: !isFolder && !isStream && visitors.length === 1 };
}

async function visitorsOf(
  name: string,
  isRecursive: boolean,
  context: SourceContext,
): Promise<readonly Visitor[]> {
  if (name === "-") return [stdinVisitor(context)];
  if (/^https?:\/\//.test(name)) return [urlVisitor(parsedUrl(name), context)];
  const paths = await expandPattern(name, context.cwd);
  const visitors: Visitor[] = [];
  for (const path of paths) visitors.push(...(await pathVisitors(path, isRecursive, context)));
  if (visitors.length === 0)
    throw new Error(
      `error reading [${paths.join(" ")}]: recognized file extensions are [.json .yaml .yml]`,
    );
  return visitors;
}

function parsedUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (error) {
    throw new Error(
      `the URL passed to filename ${quote(text)} is not valid: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
