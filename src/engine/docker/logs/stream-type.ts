/** The type of a stream of output: clients before 1.42 know only one. */
export const streamType = (isTerminal: boolean, apiMinor: number): string =>
  isTerminal || apiMinor < 42
    ? "application/vnd.docker.raw-stream"
    : "application/vnd.docker.multiplexed-stream";
