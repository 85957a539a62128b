/** The wanted oom_score_adj, or the lowest that the engine may set: lowering it needs CAP_SYS_RESOURCE. */
export function clampOomScoreAdj(wanted: number, lowest: number | undefined): number {
  return lowest === undefined ? wanted : Math.max(wanted, lowest);
}
