import type { ChosenDevices } from "./device-search.ts";

/** A request has at most so many alternatives. */
const mostAlternatives = 8;

/** How much a pod prefers a node: the earlier its requests list the alternatives that it gets there, the more. */
export const preferenceScore = (claims: readonly ChosenDevices[]): number =>
  claims.reduce(
    (sum, { requests, alternatives }) =>
      requests.reduce((total, request, i) => {
        const place = alternatives[i]?.indexOf(request) ?? 0;
        return request.name.includes("/") ? total + mostAlternatives - place : total;
      }, sum),
    0,
  );
