import { badRequest } from "../http/docker-error.ts";

/** Checks the name of a container; without the slash that clients may send. */
export function containerName(given: string): string {
  const name = given.startsWith("/") ? given.slice(1) : given;
  if (/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/.test(name)) return name;
  throw badRequest(`Invalid container name (${given}), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed`);
}

/** A free name of two words; with the ID's first digits once chance has failed a few times. */
export function generateName(
  random: () => number,
  isTaken: (name: string) => boolean,
  id: string,
): string {
  const pick = (words: readonly string[]): string =>
    words[Math.floor(random() * words.length)] ?? words[0] ?? "";
  for (let tries = 0; tries < mostTries; tries++) {
    const name = `${pick(adjectives)}_${pick(nouns)}`;
    if (!isTaken(name)) return name;
  }
  return id.slice(0, 12);
}

const mostTries = 6;

const adjectives =
  "amber brisk calm clear cool copper crisp early fair fleet fresh gentle golden green grey hardy keen light lively mellow mild misty neat noble open pale plain proud quick quiet rapid ready round rustic sandy silent silver sleek smart snug solid spry stout sturdy sunny swift tidal tidy warm wide windy".split(
    " ",
  );
const nouns =
  "anchor barge beacon bow breeze buoy canal channel cliff cove creek current delta dock drift dune ferry ford gull harbour heron island jetty keel lagoon lantern lock mast meadow mooring oar otter pier port quay reed reef rudder sail shoal shore skiff sound spar stream tern tide tiller wake wharf wherry willow".split(
    " ",
  );
