import { maxNodeScore, type NodeScores } from "../framework/plugin.ts";

/** Scales scores so that the highest is 100; with `reverse`, subtracts them from 100. */
export function normalizeScore({ values }: NodeScores, reverse = false): void {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  if (most === 0) {
    if (reverse) values.fill(maxNodeScore);
    return;
  }
  for (let i = 0; i < values.length; i++) {
    const scaled = Math.trunc((maxNodeScore * (values[i] ?? 0)) / most);
    values[i] = reverse ? maxNodeScore - scaled : scaled;
  }
}
