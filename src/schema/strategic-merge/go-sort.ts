import { goString } from "../values/go-print.ts";
import { compareUtf8 } from "../values/utf8-order.ts";
import { insertionSort } from "./element-order.ts";
import { sameScalar } from "./key-index.ts";

/** Up to this length Go sorts by insertion. */
const shortList = 12;

/**
 * Sorts items by what Go prints of their keys, as upstream does: its comparison says that an item is
 * less than its equal, by which items with the same key change their order.
 */
export function sortedByText<T>(items: readonly T[], key: (item: T) => unknown): T[] {
  const texts = items.map((item) => ({ item, text: goString(key(item)) }));
  if (texts.length <= shortList) insertionSort(texts, (a, b) => compareUtf8(a.text, b.text) <= 0);
  else texts.reverse().sort((a, b) => compareUtf8(a.text, b.text));
  return texts.map(({ item }) => item);
}

export const sortedScalars = (items: readonly unknown[]): unknown[] =>
  sortedByText(items, (item) => item);

/** Each scalar once. The last item takes the place of a repeated one, which is how upstream orders them. */
export function withoutRepeats(scalars: readonly unknown[]): unknown[] {
  const items = [...scalars];
  if (new Set(items).size === items.length) return items;
  for (let i = 0; i < items.length; i++) {
    for (let j = i + 1; j < items.length; j++) {
      if (!sameScalar(items[i], items[j])) continue;
      const last = items.pop();
      if (j < items.length) items[j] = last;
      j--;
    }
  }
  return items;
}
