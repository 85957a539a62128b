import type { ContainerState } from "../../../api/core/v1/container/container-state.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Description } from "../description.ts";
import { timeText } from "../time-text.ts";

/** What a container does now, and how it ended before. */
export function containerStateLines(d: Description, status: ContainerStatus): void {
  stateLines(d, "State", status.state);
  if (status.lastState?.terminated) stateLines(d, "Last State", status.lastState);
  d.field("Ready", status.ready ? "True" : "False", 2);
  d.field("Restart Count", status.restartCount ?? 0, 2);
}

function stateLines(d: Description, title: string, state: ContainerState | undefined): void {
  const { running, waiting, terminated } = state ?? {};
  if (running) {
    d.field(title, "Running", 2);
    d.field("Started", timeText(running.startedAt), 3);
  } else if (waiting || !terminated) {
    d.field(title, "Waiting", 2);
    d.optionalField("Reason", waiting?.reason || undefined, 3);
  } else {
    d.field(title, "Terminated", 2);
    d.optionalField("Reason", terminated.reason || undefined, 3);
    d.optionalField("Message", terminated.message || undefined, 3);
    d.field("Exit Code", terminated.exitCode ?? 0, 3);
    if ((terminated.signal ?? 0) > 0) d.field("Signal", terminated.signal ?? 0, 3);
    d.field("Started", timeText(terminated.startedAt), 3);
    d.field("Finished", timeText(terminated.finishedAt), 3);
  }
}
