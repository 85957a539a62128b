import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import { allContainers } from "../../../api/core/v1/pod/pod-containers.ts";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import type { ObjectMeta } from "../../../api/meta/v1/object-meta.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";

/** A pod or a pod template. */
export interface PodLike {
  readonly metadata?: Pick<ObjectMeta, "annotations"> | undefined;
  readonly spec: PodSpec;
}

/** A violation of a check by a pod. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (pod: PodLike) => Violation | undefined;

/** A rule of a level; `versions` are the minor versions from which its forms apply. */
export interface Check {
  readonly id: string;
  readonly versions: readonly (readonly [since: number, check: CheckPod])[];
  /** Rules of the level below that it stands for. */
  readonly overrides?: string;
}

/** The names of the containers that do something. */
export const containersThat = (
  { spec }: PodLike,
  does: (container: Container | EphemeralContainer) => boolean,
): readonly string[] =>
  allContainers(spec)
    .filter(does)
    .map(({ name }) => name);

/** `word "a"`, or `words "a", "b"`. */
export const counted = (word: string, names: readonly string[]): string =>
  `${plural(word, names.length)} ${quoted(names)}`;

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);

/** Names in quotes, with nothing escaped. */
export const quoted = (names: readonly string[]): string =>
  names.map((name) => `"${name}"`).join(", ");

/** Each once, in order. */
export const sorted = (values: Iterable<string>): readonly string[] =>
  [...new Set(values)].sort(compareUtf8);

/** The pod itself, if it is among them, and the containers, if there are any. */
export const setters = (isPodOne: boolean, containers: readonly string[]): readonly string[] => [
  ...(isPodOne ? ["pod"] : []),
  ...(containers.length > 0 ? [counted("container", containers)] : []),
];
