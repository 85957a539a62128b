import type { Clock } from "../../../base/clock.ts";

/** Something that happened, as clients read it. */
export interface DockerEvent {
  readonly status?: string | undefined;
  readonly id?: string | undefined;
  readonly from?: string | undefined;
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
  readonly scope: "local";
  readonly time: number;
  readonly timeNano: number;
}

export interface EventSubject {
  readonly type: "container" | "image" | "volume" | "network" | "daemon";
  readonly action: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The latest events of this engine, and those to come. */
export class DockerEvents {
  readonly #clock: Clock;
  readonly #latest: DockerEvent[] = [];
  readonly #listeners = new Set<(event: DockerEvent) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  emit(subject: EventSubject): void {
    const { type, action, id, attributes } = subject;
    const ms = this.#clock.now();
    const isOld = type === "container" || type === "image";
    const event: DockerEvent = {
      ...(isOld && { status: action, id }),
      ...(type === "container" && { from: attributes.image ?? "" }),
      Type: type,
      Action: action,
      Actor: { ID: id, Attributes: attributes },
      scope: "local",
      time: Math.floor(ms / 1000),
      timeNano: Math.floor(ms) * 1_000_000,
    };
    this.#latest.push(event);
    if (this.#latest.length > mostEvents) this.#latest.shift();
    for (const listener of this.#listeners) listener(event);
  }

  /** The events that are remembered, the oldest first. */
  latest(): readonly DockerEvent[] {
    return [...this.#latest];
  }

  /** Calls with every event from now on, until the returned function is called. */
  listen(listener: (event: DockerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** How many events are remembered: as many as dockerd does. */
const mostEvents = 256;
