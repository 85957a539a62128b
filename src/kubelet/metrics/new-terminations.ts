import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";

/** A container that has ended. */
export interface Termination {
  readonly type: "init_container" | "container" | "ephemeral_container";
  readonly exitCode: number;
  readonly reason: string;
}

/** The containers that have ended with this status of a pod, and not before. */
export const newTerminations = (before: PodStatus, status: PodStatus): readonly Termination[] =>
  statusLists.flatMap(([type, list]) =>
    (status[list] ?? []).flatMap(({ name, state }): readonly Termination[] => {
      const old = before[list]?.find((one) => one.name === name);
      if (!state?.terminated || old?.state?.terminated) return [];
      const { exitCode, reason = "" } = state.terminated;
      return [{ type, exitCode, reason }];
    }),
  );

const statusLists = [
  ["init_container", "initContainerStatuses"],
  ["container", "containerStatuses"],
  ["ephemeral_container", "ephemeralContainerStatuses"],
] as const;
