import { goRegexp } from "../../../schema/regexp/go-regexp.ts";
import type { Stage } from "../stage.ts";

/** Lets web pages of the configured origins call the server, and answers their preflight requests. */
export const cors = ({
  corsAllowedOrigins: origins = [],
}: {
  readonly corsAllowedOrigins?: readonly string[];
}): Stage => ({
  name: "cors",
  around(next) {
    if (origins.length === 0) return next;
    const allowed = origins.map(goRegexp);
    return async (state) => {
      const { method, headers: sent } = state.request;
      const { origin = "" } = sent;
      if (origin === "" || !allowed.some((pattern) => pattern.test(origin))) return next(state);
      const headers = { "access-control-allow-origin": origin, ...permissions };
      // A preflight request carries no credentials: it must not reach authentication.
      if (method === "OPTIONS") return { status: 204, headers, body: undefined };
      const response = await next(state);
      return { ...response, headers: { ...headers, ...response.headers } };
    };
  },
});

const permissions = {
  "access-control-allow-methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
  "access-control-allow-headers":
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  "access-control-expose-headers": "Date",
  "access-control-allow-credentials": "true",
};
