interface Step {
  /** With fewer nodes than this, the previous step applies. */
  readonly least: number;
  /** With more nodes than this, the next step applies. */
  readonly most: number;
  readonly seconds: number;
}

/** Steps overlap, so that a node that comes and goes does not cause writes to all others. */
const steps: readonly Step[] = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** The step for so many nodes, coming from another. */
export function nextStep(step: number, nodes: number): number {
  let next = step;
  while (nodes > (steps[next]?.most ?? nodes)) next++;
  while (nodes < (steps[next]?.least ?? nodes)) next--;
  return next;
}

export const secondsAt = (step: number): number => steps[step]?.seconds ?? 0;
