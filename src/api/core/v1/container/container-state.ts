import { int32, message, string, time } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";

export const ContainerStateWaiting = struct("io.k8s.api.core.v1.ContainerStateWaiting", {
  reason: string(1).doc("Why it does not run yet, in one word."),
  message: string(2).doc("Why it does not run yet."),
}).doc("A container that does not run yet.");
export interface ContainerStateWaiting extends Infer<typeof ContainerStateWaiting> {}

export const ContainerStateRunning = struct("io.k8s.api.core.v1.ContainerStateRunning", {
  startedAt: time(1).always().doc("When it was started."),
}).doc("A container that runs.");
export interface ContainerStateRunning extends Infer<typeof ContainerStateRunning> {}

export const ContainerStateTerminated = struct("io.k8s.api.core.v1.ContainerStateTerminated", {
  exitCode: int32(1).always().expected().doc("The exit code of its first process."),
  signal: int32(2).doc("The signal that ended it."),
  reason: string(3).doc("Why it ended, in one word."),
  message: string(4).doc("Why it ended: its last words."),
  startedAt: time(5).always().doc("When it was started."),
  finishedAt: time(6).always().doc("When it ended."),
  containerID: string(7).doc("Its ID, as runtime://id."),
}).doc("A container that ended.");
export interface ContainerStateTerminated extends Infer<typeof ContainerStateTerminated> {}

export const ContainerState = struct("io.k8s.api.core.v1.ContainerState", {
  waiting: message(1, ContainerStateWaiting).doc("Set while it does not run yet."),
  running: message(2, ContainerStateRunning).doc("Set while it runs."),
  terminated: message(3, ContainerStateTerminated).doc("Set once it ended."),
}).doc("How far a container is: waiting, running or terminated.");
export interface ContainerState extends Infer<typeof ContainerState> {}
