import type { Stage } from "../stage.ts";

/** Adds the header that makes browsers use HTTPS only, if it is configured. */
export const transportSecurity = ({
  strictTransportSecurity: directives = [],
}: {
  readonly strictTransportSecurity?: readonly string[];
}): Stage => ({
  name: "transport-security",
  around(next) {
    if (directives.length === 0) return next;
    const header = { "strict-transport-security": directives.join("; ") };
    return async (request) => {
      const response = await next(request);
      return { ...response, headers: { ...header, ...response.headers } };
    };
  },
});
