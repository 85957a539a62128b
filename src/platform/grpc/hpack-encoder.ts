import { type HeaderField, sizeOf } from "./hpack-decoder.ts";
import { staticTable } from "./hpack-table.ts";

/** Enough for the fields that all requests share; entries are never evicted to make room. */
const tableSize = 4096;

/**
 * Encodes the header blocks of one direction of a connection. A repeated field is sent as an index while
 * the peer's table has room for it; once it is full, new fields are sent as literals.
 */
export class HpackEncoder {
  /** The insertion count of each field, from 0. */
  readonly #added = new Map<string, number>();
  #size = 0;
  #limit = tableSize;
  #forgets = false;

  /** The peer has a table smaller than the default: the table is not used any more. */
  shrink(limit: number): void {
    if (limit >= tableSize || this.#limit === 0) return;
    this.#limit = 0;
    this.#forgets = true;
    this.#added.clear();
  }

  /** Encodes a block of fields; fields named in `varying` are not added to the table. */
  encode(fields: readonly HeaderField[], varying: ReadonlySet<string>): number[] {
    const block: number[] = [];
    // Setting the size to zero empties the table.
    if (this.#forgets) block.push(0x20);
    this.#forgets = false;
    for (const field of fields) this.#field(block, field, varying.has(field[0]));
    return block;
  }

  #field(block: number[], field: HeaderField, isVarying: boolean): void {
    const [name, value] = field;
    const whole = staticIndex.get(`${name}\0${value}`) ?? this.#index(`${name}\0${value}`);
    if (whole !== undefined) {
      integer(block, { first: 0x80, bits: 7, value: whole });
      return;
    }
    const size = sizeOf(field);
    const isKept = !isVarying && this.#size + size <= this.#limit;
    const known = staticIndex.get(name) ?? 0;
    integer(
      block,
      isKept ? { first: 0x40, bits: 6, value: known } : { first: 0, bits: 4, value: known },
    );
    if (known === 0) string(block, name);
    string(block, value);
    if (!isKept) return;
    this.#size += size;
    this.#added.set(`${name}\0${value}`, this.#added.size);
  }

  /** Indexes continue after the static table, the newest entry first. */
  #index(key: string): number | undefined {
    const added = this.#added.get(key);
    return added === undefined ? undefined : staticTable.length + this.#added.size - added;
  }
}

function integer(
  block: number[],
  { first, bits, value }: Readonly<Record<"first" | "bits" | "value", number>>,
) {
  const most = 2 ** bits - 1;
  if (value < most) {
    block.push(first | value);
    return;
  }
  block.push(first | most);
  let rest = value - most;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) block.push((rest % 128) | 0x80);
  block.push(rest);
}

function string(block: number[], text: string): void {
  const bytes = Buffer.from(text, "latin1");
  integer(block, { first: 0, bits: 7, value: bytes.length });
  block.push(...bytes);
}

/** Fields of the static table by name and value, and the first of each name by its name. */
const staticIndex = new Map<string, number>();
for (const [index, [name, value]] of staticTable.entries()) {
  if (!staticIndex.has(name)) staticIndex.set(name, index + 1);
  if (value !== "") staticIndex.set(`${name}\0${value}`, index + 1);
}
