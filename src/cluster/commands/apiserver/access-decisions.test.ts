import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { factsFolder, readFact } from "../../../../test/facts.ts";
import { accessRequests } from "../../../../test/reference/access-requests.test-support.ts";
import {
  type AccessRequest,
  knownCallers,
  openAccessWorld,
  smuggledHeaders,
  smugglers,
  wrongCallers,
} from "../../../../test/reference/access-world.test-support.ts";
import { recordedProgram } from "../../../../test/reference/reference-server.test-support.ts";

const fact = "access/decisions.json";

interface Decided {
  readonly request: string;
  /** The callers who get a response: its status and, of a rejection, the message. */
  readonly responses: Readonly<Record<string, readonly string[]>>;
}

const secret = { request: "GET /api/v1/namespaces/other/secrets/db" };

test("access: each request of each caller is decided as upstream decides, over TLS", async () => {
  const world = await openAccessWorld();
  const all: Decided[] = [];
  const ask = async (one: AccessRequest, callers: readonly string[]): Promise<void> => {
    const responses: Record<string, string[]> = {};
    const given = await Promise.all(callers.map((caller) => world.decide(one, caller)));
    for (const [i, response] of given.entries()) {
      responses[response] ??= [];
      responses[response].push(callers[i] as string);
    }
    all.push({ request: one.request, responses });
  };
  for (const one of accessRequests) await ask(one, [...knownCallers, ...wrongCallers]);
  // Headers that name another caller count only where the one who sends them may do so.
  const smuggling = smuggledHeaders.flatMap((name) =>
    smugglers.map((who) => `${who} with ${name}`),
  );
  await ask(secret, smuggling);
  if (recordedProgram !== undefined) record(all);
  expect(all).toEqual(readFact(fact));

  const decisions = all.flatMap(({ responses }) => Object.values(responses).flat());
  expect(decisions.length).toBeGreaterThan(200);
  for (const { request, responses } of all)
    for (const [response, callers] of Object.entries(responses))
      for (const caller of callers) {
        if (wrongCallers.includes(caller)) expect(`${request} ${response}`).toMatch(/ 401 /);
        if (caller.includes(" with ")) expect(`${caller} ${response}`).toMatch(/ 40[013] /);
      }
});

function record(decided: readonly Decided[]): void {
  mkdirSync(join(factsFolder, "access"), { recursive: true });
  const lines = decided.map((one) => JSON.stringify(one));
  writeFileSync(join(factsFolder, fact), `[\n${lines.join(",\n")}\n]\n`);
}
