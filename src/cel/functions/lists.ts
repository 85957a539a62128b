import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  type CelValue,
  isError,
  noSuchOverload,
  orNoSuchOverload,
  typeNameOf,
} from "../values/cel-value.ts";
import { compareValues, isOrdered } from "../values/compare-values.ts";
import { isEqual } from "../values/equal-values.ts";
import { ArrayList, elementsOf } from "../values/list.ts";
import { entriesOf, insertEntry } from "../values/map.ts";
import { all, type Implementation, type Implementations, one, two } from "./implementation.ts";
import { sum } from "./operators.ts";

/** What sorts lists, whatever is in them. */
export const listSingletons: Implementations = {
  sort: {
    one: (list) => (list instanceof CelList ? sortBy(list, list) : noFunction("sort", list)),
  },
  "@sortByAssociatedKeys": {
    two: (list, keys) =>
      list instanceof CelList && keys instanceof CelList
        ? sortBy(list, keys)
        : noFunction("@sortByAssociatedKeys", list),
  },
};

const noFunction = (name: string, value: CelValue): CelError =>
  typeof value === "string" || value instanceof CelTimestamp || value instanceof CelDuration
    ? noSuchOverload
    : new CelError(`no such overload: ${name}`);

/** The functions on lists, sets and maps. */
export const listFunctions: Implementations = {
  list_slice: all(slice),
  list_flatten: { one: (list) => flattenAny([list], 1n), isUnguarded: true },
  list_flatten_int: { two: (list, depth) => flattenAny([list, depth], depth), isUnguarded: true },
  lists_range: one((count: bigint) => {
    const numbers: bigint[] = [];
    for (let i = 0n; i < count; i++) numbers.push(i);
    return new ArrayList(numbers);
  }),
  list_reverse: one((list: CelList) => new ArrayList(elementsOf(list).reverse())),
  list_distinct: one(distinct),
  list_sets_contains_list: two(containsAll),
  list_sets_equivalent_list: two(
    (a: CelList, b: CelList) => containsAll(a, b) && containsAll(b, a),
  ),
  list_sets_intersects_list: two((a: CelList, b: CelList) =>
    elementsOf(a).some((element) => elementsOf(b).some((other) => isEqual(element, other))),
  ),
  list_a_index_of_int: two((list: CelList, item: CelValue) =>
    BigInt(elementsOf(list).findIndex((element) => isEqual(element, item))),
  ),
  list_a_last_index_of_int: two((list: CelList, item: CelValue) =>
    BigInt(elementsOf(list).findLastIndex((element) => isEqual(element, item))),
  ),
  "@mapInsert_map_key_value": all((map: CelMap, key: CelValue, value: CelValue) =>
    insertEntry(map, key, value),
  ),
  "@mapInsert_map_map": two((map: CelMap, more: CelMap) => {
    let target: CelValue = map;
    for (const [key, value] of entriesOf(more)) {
      if (!(target instanceof CelMap)) return target;
      target = insertEntry(target, key, value);
    }
    return target;
  }),
  ...forEach("int uint double bool duration timestamp string bytes", (type) => ({
    [`list_${type}_is_sorted_bool`]: one(isSorted),
    [`list_${type}_max_${type}`]: one((list: CelList) => extreme(list, { name: "max", order: -1 })),
    [`list_${type}_min_${type}`]: one((list: CelList) => extreme(list, { name: "min", order: 1 })),
  })),
  list_int_sum_int: summing(0n),
  list_uint_sum_uint: summing(new CelUint(0n)),
  list_double_sum_double: summing(0),
  list_duration_sum_duration: summing(new CelDuration(0n)),
};

function forEach(names: string, make: (name: string) => Implementations): Implementations {
  return Object.assign({}, ...names.split(" ").map(make));
}

function slice(list: CelList, start: bigint, end: bigint): CelValue {
  const shown = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return new CelError(`${shown}, negative indexes not supported`);
  if (start > end)
    return new CelError(`${shown}, start index must be less than or equal to end index`);
  if (BigInt(list.size) < end) return new CelError(`${shown}, list is length ${list.size}`);
  return new ArrayList(elementsOf(list).slice(Number(start), Number(end)));
}

function flattenAny(given: readonly CelValue[], depth: CelValue): CelValue {
  const [list = null] = given;
  if (!(list instanceof CelList) || typeof depth !== "bigint") {
    const [of, ...others] = given.map((value) =>
      value instanceof CelMap ? "map(dyn, dyn)" : typeNameOf(value),
    );
    return isError(list) ? list : new CelError(`no such overload: ${of}.flatten(${others.join()})`);
  }
  if (depth < 0n) return new CelError("level must be non-negative");
  return new ArrayList(flatten(list, depth));
}

function flatten(list: CelList, depth: bigint): CelValue[] {
  return elementsOf(list).flatMap((element) =>
    element instanceof CelList && depth > 0n ? flatten(element, depth - 1n) : [element],
  );
}

function distinct(list: CelList): CelValue {
  const found: CelValue[] = [];
  for (const element of elementsOf(list))
    if (!found.some((other) => isEqual(element, other))) found.push(element);
  return list.size === 0 ? list : new ArrayList(found);
}

function containsAll(list: CelList, others: CelList): boolean {
  const elements = elementsOf(list);
  return elementsOf(others).every((other) => elements.some((element) => isEqual(other, element)));
}

function sortBy(list: CelList, keys: CelList): CelValue {
  if (list.size !== keys.size)
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  if (list.size === 0) return list;
  const [first = null, ...others] = elementsOf(keys);
  if (!isOrdered(first)) return new CelError("list elements must be comparable");
  const type = typeNameOf(first);
  if (others.some((key) => typeNameOf(key) !== type))
    return new CelError("list elements must have the same type");
  const paired = elementsOf(list).map((element, i) => ({ element, key: keys.at(i) }));
  paired.sort((a, b) => {
    const order = compareValues(a.key, b.key);
    return typeof order === "number" ? order : 0;
  });
  return new ArrayList(paired.map(({ element }) => element));
}

function isSorted(list: CelList): CelValue {
  const elements = elementsOf(list);
  for (const [i, element] of elements.entries()) {
    if (!isOrdered(element)) return orNoSuchOverload(element);
    const before = elements[i - 1];
    if (before !== undefined && compareValues(before, element) === 1) return false;
  }
  return true;
}

function extreme(list: CelList, { name, order }: { name: string; order: number }): CelValue {
  let found: CelValue | undefined;
  for (const element of elementsOf(list)) {
    if (!isOrdered(element)) return orNoSuchOverload(element);
    if (found === undefined || compareValues(found, element) === order) found = element;
  }
  return found ?? new CelError(`${name} called on empty list`);
}

function summing(zero: CelValue): Implementation {
  return one((list: CelList) => {
    let total = zero;
    for (const element of elementsOf(list)) {
      total = sum(total, element);
      if (isError(total)) return total;
    }
    return total;
  });
}
