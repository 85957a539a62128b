import type { Readable } from "node:stream";
import { badRequest, DockerError } from "./docker-error.ts";
import { isObject, type JsonObject } from "./json-value.ts";

/** The most bytes of a JSON body; the largest real ones are seccomp profiles, of some tens of kilobytes. */
const mostBytes = 4 * 1024 * 1024;

/** Reads the JSON object of a body; undefined if it is empty. */
export async function readJson(
  body: Readable,
  contentType: string | undefined,
): Promise<JsonObject | undefined> {
  const text = await readText(body);
  if (text === "") return undefined;
  const mime = (contentType ?? "").split(";")[0]?.trim().toLowerCase();
  if (mime === "") throw badRequest("malformed Content-Type header (): mime: no media type");
  if (mime !== "application/json")
    throw badRequest(
      `unsupported Content-Type header (${contentType}): must be 'application/json'`,
    );
  return parseObject(text);
}

async function readText(body: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw new DockerError(413, "http: request body too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}

function parseObject(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DockerError(400, `invalid JSON: ${(cause as Error).message}`, { cause });
  }
  if (value === null) return undefined;
  if (isObject(value)) return value;
  throw badRequest("invalid JSON: json: cannot unmarshal into an object");
}
