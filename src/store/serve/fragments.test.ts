import { expect, test } from "vitest";
import { fragments } from "./fragments.ts";

const event = (size: number) => ({ kv: { key: new Uint8Array(1), value: new Uint8Array(size) } });
const sizes = (...all: number[]) =>
  fragments({ watch_id: 3, events: all.map(event) }, 1000).map(
    ({ events = [], fragment, watch_id }) => [
      watch_id,
      fragment,
      events.map(({ kv }) => kv?.value?.length),
    ],
  );

test.each([
  [[10, 10], [[3, false, [10, 10]]]],
  [
    [600, 600, 10],
    [
      [3, true, [600]],
      [3, false, [600, 10]],
    ],
  ],
  [
    [5000, 10],
    [
      [3, true, [5000]],
      [3, false, [10]],
    ],
  ],
  [[5000], [[3, false, [5000]]]],
])("fragments: %j", (given, parts) => {
  expect(sizes(...given)).toEqual(parts);
});
