/** The range of an image's size, as a label of metrics. */
export function sizeLabel(bytes: number): string {
  let label = "N/A";
  for (const [least, name] of ranges) if (bytes >= least) label = name;
  return label;
}

const [mb, gb] = [1024 ** 2, 1024 ** 3];
const ranges: readonly (readonly [least: number, name: string])[] = [
  [0, "0-10MB"],
  [10 * mb, "10MB-100MB"],
  [100 * mb, "100MB-500MB"],
  [500 * mb, "500MB-1GB"],
  [gb, "1GB-5GB"],
  [5 * gb, "5GB-10GB"],
  [10 * gb, "10GB-20GB"],
  [20 * gb, "20GB-30GB"],
  [30 * gb, "30GB-40GB"],
  [40 * gb, "40GB-60GB"],
  [60 * gb, "60GB-100GB"],
  [100 * gb, "GT100GB"],
];
