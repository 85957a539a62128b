/** A source of random numbers. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

/** Random numbers that repeat from their seed (sfc32). Not for secrets. */
export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #count: number;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    this.#c = 0x9e3779b9 | 0;
    this.#count = 1;
    for (let i = 0; i < mixingRounds; i++) this.#step();
  }

  next(): number {
    return this.#step() / 2 ** 32;
  }

  /** A copy that continues from the same state and does not affect this one. */
  fork(): SeededRandom {
    const copy = new SeededRandom(0);
    copy.#a = this.#a;
    copy.#b = this.#b;
    copy.#c = this.#c;
    copy.#count = this.#count;
    return copy;
  }

  #step(): number {
    const result = (this.#a + this.#b + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }
}

/** After this many rounds, seeds that differ in one bit give unrelated numbers. */
const mixingRounds = 15;
