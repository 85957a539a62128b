import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { SeededRandom } from "../../base/random.ts";
import { allocateSeats, type SeatClaim } from "./concurrency-allocation.ts";

const claim = (least: number, target: number, most: number): SeatClaim => ({ least, target, most });

each<[what: string, total: number, claims: SeatClaim[], seats: number[] | undefined]>([
  ["no seats", 0, [claim(0, 1, 2)], [0]],
  ["in proportion to the targets", 12, [claim(0, 1, 20), claim(0, 2, 20)], [4, 8]],
  ["at least the least", 12, [claim(6, 6, 20), claim(0, 12, 20)], [6, 6]],
  ["at most the most", 12, [claim(0, 10, 3), claim(0, 1, 20)], [3, 9]],
  ["all leasts, where there is no more", 7, [claim(4, 9, 20), claim(3, 5, 20)], [4, 3]],
  ["all mosts, where there is enough", 9, [claim(0, 1, 4), claim(0, 1, 5)], [4, 5]],
  ["a target of zero counts as a little", 4, [claim(0, 0, 10), claim(0, 0, 10)], [2, 2]],
  ["less than all leasts", 5, [claim(4, 4, 9), claim(3, 3, 9)], undefined],
  ["more than all mosts", 20, [claim(0, 1, 9), claim(0, 1, 9)], undefined],
])("allocateSeats: %s", (_, total, claims, seats) => {
  const allocated = allocateSeats(total, claims);
  expect(allocated?.seats.map((count) => Math.round(count * 1e6) / 1e6)).toEqual(seats);
});

test("allocateSeats: all seats are given, each claim has its fair share or is at a bound", () => {
  const random = new SeededRandom(1);
  const below = (limit: number) => Math.floor(random.next() * limit);
  for (let round = 0; round < 500; round++) {
    const claims = Array.from({ length: 1 + below(8) }, () => {
      const least = below(20);
      return claim(least, least + random.next() * 50, least + below(60));
    });
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
    const low = sum(claims.map(({ least }) => least));
    const high = sum(claims.map(({ most }) => most));
    const total = low + below(high - low + 1);
    const { seats = [], fairShare = 0 } = allocateSeats(total, claims) ?? {};
    expect(sum(seats)).toBeCloseTo(total, 4);
    if (total === 0) continue;
    for (const [i, { least, target, most }] of claims.entries()) {
      const fair = Math.max(target, 0.001) * fairShare;
      expect(seats[i]).toBeCloseTo(Math.max(least, Math.min(most, fair)), 4);
    }
  }
});
