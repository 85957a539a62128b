import { CelList, type CelValue } from "./cel-value.ts";

/** A list of values. */
export class ArrayList extends CelList {
  readonly #values: readonly CelValue[];

  constructor(values: readonly CelValue[]) {
    super();
    this.#values = values;
  }

  override get size(): number {
    return this.#values.length;
  }

  override at(index: number): CelValue {
    return this.#values[index] as CelValue;
  }
}

/** A list that a fold adds to: nobody else sees it before it is whole. */
export class GrowingList extends CelList {
  readonly #values: CelValue[] = [];

  override get size(): number {
    return this.#values.length;
  }

  override at(index: number): CelValue {
    return this.#values[index] as CelValue;
  }

  add(more: CelList): this {
    const { size } = more;
    for (let i = 0; i < size; i++) this.#values.push(more.at(i));
    return this;
  }

  /** The list as it will stay. */
  whole(): ArrayList {
    return new ArrayList(this.#values);
  }
}

/** Two lists after each other. */
export class JoinedList extends CelList {
  readonly #first: CelList;
  readonly #second: CelList;
  override readonly size: number;

  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  override at(index: number): CelValue {
    const { size } = this.#first;
    return index < size ? this.#first.at(index) : this.#second.at(index - size);
  }
}

/** The elements of a list. */
export function elementsOf(list: CelList): CelValue[] {
  const elements: CelValue[] = [];
  const { size } = list;
  for (let i = 0; i < size; i++) elements.push(list.at(i));
  return elements;
}
