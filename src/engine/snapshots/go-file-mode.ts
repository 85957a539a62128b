/** A mode in the form of Go's `os.FileMode`, which docker's API sends: POSIX's permissions, other bits for types. */
export function goFileMode(mode: number): number {
  const type = typeBits.get(mode & 0o170000) ?? 0;
  const flags = flagBits.reduce((sum, [posix, go]) => ((mode & posix) === 0 ? sum : sum + go), 0);
  return type + flags + (mode & 0o777);
}

const bit = (position: number): number => 2 ** position;

const typeBits: ReadonlyMap<number, number> = new Map([
  [0o040000, bit(31)],
  [0o120000, bit(27)],
  [0o060000, bit(26)],
  [0o020000, bit(26) + bit(21)],
  [0o010000, bit(25)],
  [0o140000, bit(24)],
]);

const flagBits: readonly (readonly [posix: number, go: number])[] = [
  [0o4000, bit(23)],
  [0o2000, bit(22)],
  [0o1000, bit(20)],
];
