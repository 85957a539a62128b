import { goString, goText, goType } from "../values/go-print.ts";

/**
 * What upstream makes of a fault: a malformed directive is the client's bad request, what cannot be
 * merged is unprocessable, and the rest counts as the server's own.
 */
export type Blame = "format" | "content" | "other";

/** A patch that cannot be applied or made, in upstream's words. */
export class StrategicMergeError extends Error {
  override readonly name: string = "StrategicMergeError";
  readonly blame: Blame;

  constructor(message: string, blame: Blame = "other") {
    super(message);
    this.blame = blame;
  }
}

export const badDeletionList = (): StrategicMergeError =>
  new StrategicMergeError("invalid patch format of primitive list", "format");

export const badRetainKeys = (): StrategicMergeError =>
  new StrategicMergeError("invalid patch format of retainKeys", "format");

export const badElementOrder = (): StrategicMergeError =>
  new StrategicMergeError("invalid patch format of setElementOrder list", "format");

export const listOfLists = (): StrategicMergeError =>
  new StrategicMergeError("lists of lists are not supported", "content");

export const noMergeKey = (map: unknown, key: string): StrategicMergeError =>
  new StrategicMergeError(`map: ${goString(map)} does not contain declared merge key: ${key}`);

export const unknownPatchType = (type: unknown, map: unknown): StrategicMergeError =>
  new StrategicMergeError(`unknown patch type: ${goText(type)} in map: ${goString(map)}`);

export const notAMap = (value: unknown): StrategicMergeError =>
  expected("map[string]interface {}", value);

export const notAList = (value: unknown): StrategicMergeError => expected("[]interface {}", value);

function expected(type: string, value: unknown): StrategicMergeError {
  const received = value === null || value === undefined ? "%!s(<nil>)" : goType(value);
  return new StrategicMergeError(`expected a ${type}, but received a ${received}`);
}

/** Where upstream's program would break: it is refused here with what Go says of it. */
export const breaks = (how: string): StrategicMergeError =>
  new StrategicMergeError(`runtime error: ${how}`);
