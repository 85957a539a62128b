import type { Query } from "./query.ts";
import type { ApiResponse } from "./request.ts";
import { textResponse } from "./respond.ts";

/** Something that must be well; undefined when it is, else why not. */
export interface HealthCheck {
  readonly name: string;
  check(): string | undefined | Promise<string | undefined>;
}

/** Answers `/healthz`, `/livez` and `/readyz`, with all their checks or one of them. */
export async function health(
  path: string,
  query: Query,
  checks: readonly HealthCheck[],
): Promise<ApiResponse> {
  const [, endpoint = "", ...rest] = path.split("/");
  const one = rest.join("/");
  if (one !== "") {
    const found = checks.find(({ name }) => name === one);
    if (!found) return textResponse(404, "404 page not found\n");
    const fault = await found.check();
    return fault === undefined
      ? textResponse(200, "ok")
      : textResponse(500, `internal server error: ${fault}\n`);
  }
  const excluded = query.all("exclude");
  const lines: string[] = [];
  let failed = false;
  for (const { name, check } of checks) {
    if (excluded.includes(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    const fault = await check();
    failed ||= fault !== undefined;
    lines.push(fault === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`);
  }
  if (failed) return textResponse(500, `${lines.join("\n")}\n${endpoint} check failed\n`);
  if (!query.has("verbose")) return textResponse(200, "ok");
  return textResponse(200, `${lines.join("\n")}\n${endpoint} check passed\n`);
}
