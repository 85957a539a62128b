import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { decodeResponse } from "../../../client/decode-response.ts";
import { fileFault } from "../../../kubeconfig/file-fault.ts";
import { quote } from "../../../schema/values/quote.ts";
import { readAll } from "../../program/io.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";

export interface RawUriRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly uri: string;
  /** The file that is sent; `-` for standard input, empty for nothing. */
  readonly filename?: string;
}

/** Sends a request to any path of the server, and prints the response as it is. */
export async function rawRequest(
  { factory, io, cwd, signal }: Pick<CommandContext, "factory" | "io" | "cwd" | "signal">,
  { method, uri, filename = "" }: RawUriRequest,
): Promise<undefined> {
  const body = await bodyOf(filename, { io, cwd });
  const [path = "", query = ""] = uri.split("?");
  const client = await factory.client();
  const response = await client.raw({
    method,
    path,
    query: queryOf(query),
    headers: { accept: "application/json, */*" },
    ...(body && { body }),
    signal,
  });
  if (response.status >= 300) await decodeResponse(response);
  for await (const chunk of response.bytes()) io.stdout.write(chunk);
  return undefined;
}

/** Throws unless a text is a path or a URL. */
export function checkRawUri(uri: string): void {
  if (uri.startsWith("/") || /^[a-zA-Z][\w+.-]*:/.test(uri)) return;
  throw new Error(`--raw must be a valid URL path: parse ${quote(uri)}: invalid URI for request`);
}

async function bodyOf(
  filename: string,
  { io, cwd }: Pick<CommandContext, "io" | "cwd">,
): Promise<Uint8Array | undefined> {
  if (filename === "") return undefined;
  if (filename === "-") return readAll(io.stdin);
  return readFile(resolve(cwd, filename)).catch((cause: unknown) => {
    throw new Error(fileFault("open", filename, cause), { cause });
  });
}

function queryOf(query: string): Record<string, string[]> {
  const parameters: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query))
    parameters[name] = [...(parameters[name] ?? []), value];
  return parameters;
}
