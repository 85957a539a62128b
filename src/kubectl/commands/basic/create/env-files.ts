import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import { isEnvVarName } from "../../../../schema/values/names.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { Environment } from "../../../program/kubectl-command.ts";
import { type AddKey, isFolder } from "./key-files.ts";

/** Adds the pairs of files with lines `key=value`; a key without a value takes that of the environment. */
export async function addEnvFiles(
  paths: readonly string[],
  { cwd, env, what }: { readonly cwd: string; readonly env: Environment; readonly what: string },
  add: AddKey,
): Promise<void> {
  for (const path of paths) {
    if (await isFolder(path, cwd)) throw new Error(`env ${what} file cannot be a directory`);
    for (const [at, line] of linesOf(await read(path, cwd)).entries()) {
      const pair = envPair(line, { path, at, env });
      if (pair) add(pair.key, Buffer.from(pair.value));
    }
  }
}

async function read(path: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (cause) {
    throw new Error(fileFault("open", path, cause), { cause });
  }
}

/** Lines without their ends, which may be of DOS; nothing follows the last end. */
function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf("\n", from);
    const end = found < 0 ? bytes.length : found;
    lines.push(bytes.subarray(from, end > from && bytes[end - 1] === 0x0d ? end - 1 : end));
    from = end + 1;
  }
  return lines;
}

function envPair(
  bytes: Buffer,
  { path, at, env }: { readonly path: string; readonly at: number; readonly env: Environment },
): { readonly key: string; readonly value: string } | undefined {
  const text = decoded(bytes, path, at);
  const line = (at === 0 ? text.replace(/^\ufeff/, "") : text).replace(/^[\s\u0085]+/, "");
  if (line === "" || line.startsWith("#")) return undefined;
  const equals = line.indexOf("=");
  const key = equals < 0 ? line : line.slice(0, equals);
  const faults = isEnvVarName(key);
  if (faults.length > 0)
    throw new Error(`${quote(key)} is not a valid key name: ${faults.join(";")}`);
  return { key, value: equals < 0 ? (env[key] ?? "") : line.slice(equals + 1) };
}

function decoded(bytes: Buffer, path: string, at: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error(
      `env file ${path} contains invalid utf8 bytes at line ${at + 1}: [${bytes.join(" ")}]`,
      { cause },
    );
  }
}
