/** The code length of each byte in HPACK's Huffman code, which is canonical: lengths determine codes. */
const lengths = [
  [13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28],
  [28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5],
  [6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  [
    7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6,
  ],
  [
    7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23,
    23,
  ],
  [23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22],
  [22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22],
  [23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27],
  [27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25],
  [24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
].flat();

/** A node of the code's tree: its children for 0 and 1, or the byte of a leaf. */
type Node = [Node | number | undefined, Node | number | undefined];

/** Decodes a string of HPACK's Huffman code. */
export function decodeHuffman(bytes: Uint8Array): string {
  const decoded: number[] = [];
  let node = root;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const next = node[((byte >> bit) & 1) as 0 | 1];
      if (next === undefined) throw new Error("hpack: no such code");
      if (typeof next === "number") {
        decoded.push(next);
        node = root;
      } else node = next;
    }
  }
  // The padding of the last byte is a prefix of the end-of-string code.
  return String.fromCharCode(...decoded);
}

const root = tree();

function tree(): Node {
  const top: Node = [undefined, undefined];
  const symbols = lengths.map((_, symbol) => symbol);
  symbols.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  let code = 0;
  let length = 0;
  for (const symbol of symbols) {
    const wanted = lengths[symbol] ?? 0;
    code *= 2 ** (wanted - length);
    length = wanted;
    place(top, symbol, { code, length });
    code++;
  }
  return top;
}

function place(top: Node, symbol: number, { code, length }: { code: number; length: number }) {
  let node = top;
  for (let bit = length - 1; bit > 0; bit--) {
    const side = (Math.floor(code / 2 ** bit) % 2) as 0 | 1;
    const next = node[side] ?? [undefined, undefined];
    node[side] = next;
    node = next as Node;
  }
  node[(code % 2) as 0 | 1] = symbol;
}
