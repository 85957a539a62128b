import { badRequest } from "../api/meta/v1/status-error.ts";
import { decodeBase64, encodeBase64 } from "../schema/base64.ts";

/** Where a list goes on: after a key, at the version of its first page. */
export interface ContinueToken {
  /** -1: at whatever version is current, which is not consistent with the pages before. */
  readonly revision: number;
  /** The first key of the next page, relative to the list's prefix. */
  readonly start: string;
}

/** Upstream's form, so that a token survives a change of server. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  const text = JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start });
  return encodeBase64(new TextEncoder().encode(text))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export function decodeContinue(token: string): ContinueToken {
  const parsed = parse(token);
  const { v, rv, start } = parsed as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== "meta.k8s.io/v1")
    throw badRequest(
      `continue key is not valid: server does not recognize this encoded version "${String(v ?? "")}"`,
    );
  if (!Number.isSafeInteger(rv) || rv === 0)
    throw badRequest(
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  if (typeof start !== "string" || start === "")
    throw badRequest("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  if (start.split("/").includes(".."))
    throw badRequest(
      `continue key is not valid: encoded continue key is not in the expected format: ${start}`,
    );
  return { revision: rv as number, start };
}

function parse(token: string): object {
  try {
    const base64 = token.replaceAll("-", "+").replaceAll("_", "/");
    const padded = base64.padEnd(Math.ceil(base64.length / 4) * 4, "=");
    const value: unknown = JSON.parse(new TextDecoder().decode(decodeBase64(padded)));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Not ours: said below.
  }
  throw badRequest("continue key is not valid: illegal base64 data or not a token of this server");
}
