import type { Manager } from "./manager-options.ts";

/** A response in plain text. */
export interface ProbeAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Answers requests for `/healthz` and `/readyz`, with all checks or one of them, `?verbose` and
 * `?exclude=NAME`, and for `/metrics`. The reason of a failure is shown only in the response for a
 * single check.
 */
export function probeAnswer(
  manager: Pick<Manager, "health" | "ready" | "metricsText">,
  path: string,
  query: URLSearchParams,
): ProbeAnswer {
  const [, endpoint = "", ...rest] = path.split("/");
  if (path === "/metrics") return { status: 200, text: manager.metricsText() };
  if (endpoint !== "healthz" && endpoint !== "readyz") return notFound;
  const { checks } = endpoint === "healthz" ? manager.health() : manager.ready();
  const one = rest.join("/");
  if (one !== "") {
    if (!Object.hasOwn(checks, one)) return notFound;
    const fault = checks[one];
    return fault === undefined
      ? { status: 200, text: "ok" }
      : { status: 500, text: `internal server error: ${fault}\n` };
  }
  const excluded = new Set(query.getAll("exclude"));
  let hasFailed = false;
  const lines = Object.entries(checks).map(([name, fault]) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok`;
    hasFailed ||= fault !== undefined;
    return fault === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  const all = lines.map((line) => `${line}\n`).join("");
  if (hasFailed) return { status: 500, text: `${all}${endpoint} check failed\n` };
  return { status: 200, text: query.has("verbose") ? `${all}${endpoint} check passed\n` : "ok" };
}

const notFound = { status: 404, text: "404 page not found\n" };
