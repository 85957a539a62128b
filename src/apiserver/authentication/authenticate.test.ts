import { expect, test } from "vitest";
import { authenticate, type User } from "./identity.ts";
import { toApiRequest } from "./in-process.test-support.ts";
import type { Peer } from "./request.ts";

const jane: User = { name: "jane", groups: ["devs", "system:authenticated"] };
const nobody: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

const certificate: Peer = { commonName: "jane", organizations: ["devs"] };
const requests: [what: string, peer: Peer | undefined, token: string | null, user: unknown][] = [
  ["a certificate names its user", certificate, null, jane],
  ["a certificate counts, whatever token comes with it", certificate, "Bearer nope", jane],
  ["who shows nothing is anonymous", undefined, null, nobody],
  ["an empty token is nothing", undefined, "Bearer ", nobody],
  ["a token that nobody issued is refused", undefined, "bearer nope", "Unauthorized"],
];
test.each(requests)("authenticate: %s", (_, peer, authorization, user) => {
  const request = toApiRequest({ path: "/", headers: { authorization } });
  expect(outcome(() => authenticate({ ...request, peer }))).toEqual(user);
});

function outcome(decide: () => unknown): unknown {
  try {
    return decide();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}
