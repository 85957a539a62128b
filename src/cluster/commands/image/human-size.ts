/** A number of bytes as docker shows it: four digits and a unit of a power of 1000. */
export function humanSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${Number(value.toPrecision(4))}${units[unit]}`;
}

const units = ["B", "kB", "MB", "GB", "TB", "PB"] as const;
