/** A time as docker writes it; zero is a time that never was. */
export const dockerTime = (ms: number): string =>
  ms <= 0 ? "0001-01-01T00:00:00Z" : new Date(ms).toISOString();
