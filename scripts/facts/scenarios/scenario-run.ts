import type { ApiObject } from "../api-client.ts";

/** An object that a scenario had, as it first appeared. */
export interface SeenObject {
  readonly resource: string;
  readonly object: ApiObject;
  readonly order: number;
}

/** A scenario that is under way. */
export interface ScenarioRun {
  readonly namespace: string;
  readonly serial: boolean;
  readonly began: number;
  /** When something of the scenario changed last, and what it was. */
  lastChange: number;
  lastObject: string;
  readonly seen: Map<string, SeenObject>;
}
