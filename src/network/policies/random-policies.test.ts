import { expect, test } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { SeededRandom } from "../../base/random.ts";
import { runChild } from "../../platform/run-child.ts";
import { isAllowed, type Request, type World } from "./brute-force.test-support.ts";
import { families } from "./family.ts";
import { NftModel } from "./nft-model.test-support.ts";
import { PolicyIndex } from "./policy-index.ts";
import { changeTransaction, wholeTransaction } from "./policy-transaction.ts";
import { portNumbers, protocols, RandomWorld } from "./random-policies.test-support.ts";

test("PolicyIndex: random policies decide as a reading of the API's words, for 500 seeds", () => {
  let judged = 0;
  let dropped = 0;
  for (let seed = 1; seed <= 500; seed++) {
    const random = new SeededRandom(seed);
    const world = new RandomWorld(random);
    const index = new PolicyIndex();
    const model = new NftModel();
    model.apply(wholeTransaction(index.contents.takeAll()));
    for (let step = 1; step <= 40; step++) {
      world.step(index);
      // Several changes can be applied together.
      if (random.next() < 0.5) continue;
      model.apply(changeTransaction(index.contents.take()));
      if (step % 4 > 0) continue;
      for (const request of requests(world, random)) {
        const expected = isAllowed(world, request);
        judged++;
        if (!expected) dropped++;
        for (const isReply of [false, true])
          expect([seed, step, isReply, request, model.passes(packetOf(request, isReply))]).toEqual([
            ...[seed, step, isReply, request, expected],
          ]);
      }
    }
    model.apply(changeTransaction(index.contents.take()));
    expect([seed, sizes(model)]).toEqual([seed, sizes(fresh(world))]);
  }
  // Both results are frequent enough to tell something.
  expect(judged).toBeGreaterThan(20_000);
  expect(dropped / judged).toBeGreaterThan(0.1);
  expect(dropped / judged).toBeLessThan(0.9);
}, 120_000);

testWith(requires("nft"))(
  "PolicyIndex: nft takes the transactions of random policies, and ends with the same tables",
  async () => {
    for (const seed of [1, 2, 3]) {
      const world = new RandomWorld(new SeededRandom(seed));
      const index = new PolicyIndex();
      const inputs = [wholeTransaction(index.contents.takeAll())];
      for (let step = 1; step <= 40; step++) {
        world.step(index);
        inputs.push(changeTransaction(index.contents.take()));
      }
      const script = inputs.map((input) => `nft -f - <<'END'\n${input}END`).join("\n");
      const list = "nft list ruleset; echo ====";
      // The same contents once more, in one transaction.
      const again = `nft -f - <<'END'\n${wholeTransaction(index.contents.takeAll())}END`;
      const { code, stdout, stderr } = await runChild("unshare", [
        ...["--net", "sh", "-e", "-c", [script, list, again, list].join("\n")],
      ]);
      expect([seed, code, stderr]).toEqual([seed, 0, ""]);
      const [changed, whole] = stdout.split("====\n").map(sortedBlocks);
      expect([seed, changed]).toEqual([seed, whole]);
    }
  },
  120_000,
);

/** The elements, rules and objects of a listing, in an order of their own. */
const sortedBlocks = (listing: string): readonly string[] =>
  listing
    .split(/\n(?=\t(?:set|map|chain|\}))/)
    .map((block) =>
      block.replace(/elements = \{([^}]*)\}/, (_, list: string) =>
        list
          .split(",")
          .map((one) => one.trim())
          .toSorted()
          .join(),
      ),
    )
    .map((block) => block.replaceAll(/\s+/g, " "))
    .toSorted();

function* requests(world: World, random: SeededRandom): Iterable<Request> {
  const all = [...world.pods.values()].flatMap(({ addresses }) => addresses);
  for (const family of families) {
    const own = all.filter((address) => address.family === family).map(({ text }) => text);
    const addresses = [...own, family === "ip" ? "10.0.0.99" : "fd00::99"];
    for (let i = 0; i < 12; i++) {
      const one = <T>(values: readonly T[]): T =>
        values[Math.floor(random.next() * values.length)] as T;
      yield {
        ...{ source: one(addresses), destination: one(addresses) },
        ...{ protocol: one([...protocols, "ICMP"]), port: one([...portNumbers, 95]) },
      };
    }
  }
}

/** A packet of a connection; of a reply, the other way round. */
function packetOf({ source, destination, protocol, port }: Request, isReply: boolean) {
  const family = source.includes(":") ? ("ip6" as const) : ("ip" as const);
  return isReply
    ? {
        family,
        source: destination,
        destination: source,
        protocol,
        sourcePort: port,
        destinationPort: 40_000,
        isReply,
      }
    : { family, source, destination, protocol, sourcePort: 40_000, destinationPort: port, isReply };
}

/** What an index that has only seen the present world makes. */
function fresh({ pods, namespaces, policies }: RandomWorld): NftModel {
  const index = new PolicyIndex();
  for (const [key, { namespace, spec }] of policies)
    index.setPolicy({ namespace, name: key.split("/")[1] ?? "" }, spec);
  for (const [key, pod] of pods) index.setPod(key as `${string}/${string}`, pod);
  for (const [name, labels] of namespaces) index.setNamespace(name, labels);
  const model = new NftModel();
  model.apply(wholeTransaction(index.contents.takeAll()));
  return model;
}

/** How many elements, sets and chains there are: what is no longer needed is not left. */
const sizes = ({ sets, chains }: NftModel) => ({
  sets: [...sets]
    .map(([name, elements]) => `${name.replace(/\d+$/, "")} ${elements.size}`)
    .toSorted(),
  chains: chains.size,
});
