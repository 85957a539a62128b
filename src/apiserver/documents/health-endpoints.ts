import { quote } from "../../schema/values/quote.ts";
import type { Query } from "../request/query.ts";
import type { ApiResponse } from "../request/request.ts";
import { textResponse } from "../request/respond.ts";

/** A health check: resolves to undefined on success, or to the reason of the failure. */
export interface HealthCheck {
  readonly name: string;
  /** Whether the check is part of readiness only: its failure does not call for a restart. */
  readonly ofReadiness?: boolean;
  check(): string | undefined | Promise<string | undefined>;
}

export interface HealthOptions {
  readonly checks: readonly HealthCheck[];
  /** Called with the outcome of each check when a whole endpoint is checked. */
  readonly observe?: (outcome: CheckOutcome) => void;
}

export interface CheckOutcome {
  readonly name: string;
  readonly endpoint: string;
  readonly ok: boolean;
}

/** The health endpoints. */
export const healthEndpoints: readonly string[] = ["healthz", "livez", "readyz"];

/** The checks of an endpoint. */
export const checksOf = (
  checks: readonly HealthCheck[],
  endpoint: string,
): readonly HealthCheck[] =>
  endpoint === "readyz" ? checks : checks.filter(({ ofReadiness }) => !ofReadiness);

/** Responds to `/healthz`, `/livez` and `/readyz`, with all their checks or one of them. */
export async function health(
  path: string,
  query: Query,
  { checks: all, observe }: HealthOptions,
): Promise<ApiResponse> {
  const [, endpoint = "", ...rest] = path.split("/");
  const checks = checksOf(all, endpoint);
  const one = rest.join("/");
  if (one !== "") {
    const found = checks.find(({ name }) => name === one);
    return found ? single(found) : textResponse(404, "404 page not found\n");
  }
  const excluded = new Set(query.all("exclude"));
  const unknown = new Set(excluded);
  const lines: string[] = [];
  let failed = false;
  for (const { name, check } of checks) {
    if (excluded.has(name)) {
      unknown.delete(name);
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    const ok = (await check()) === undefined;
    observe?.({ name, endpoint, ok });
    failed ||= !ok;
    lines.push(ok ? `[+]${name} ok` : `[-]${name} failed: reason withheld`);
  }
  if (unknown.size > 0) {
    const names = [...unknown].sort().map(quote).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (failed) return textResponse(500, `${lines.join("\n")}\n${endpoint} check failed\n`);
  if (!query.has("verbose")) return textResponse(200, "ok");
  return textResponse(200, `${lines.join("\n")}\n${endpoint} check passed\n`);
}

/** The response of a single check contains the reason of its failure. */
async function single({ check }: HealthCheck): Promise<ApiResponse> {
  const fault = await check();
  if (fault !== undefined) return textResponse(500, `internal server error: ${fault}\n`);
  const { headers, ...response } = textResponse(200, "ok");
  const { "x-content-type-options": _, ...sniffed } = headers;
  return { ...response, headers: sniffed };
}
