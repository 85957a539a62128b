import type { Conversion, Strategy } from "../../../schema/language/kind.ts";
import type { StandardStrategy } from "./standard-strategy.ts";

/**
 * The steps of a kind that is stored as another: the object is converted, prepared by the strategy of
 * the stored kind, and converted back.
 */
export function storedStrategy<O>({
  stored,
  toStored,
  fromStored,
}: Conversion): Pick<StandardStrategy<O>, "prepare" | "prepareStatus" | "resets"> {
  const strategy = stored.strategy as Strategy<unknown>;
  const convert = (object: O) => toStored(object as never);
  const change = (object: O, prepare: (converted: unknown) => void) => {
    const converted = convert(object);
    prepare(converted);
    Object.assign(object as object, fromStored(converted as never));
  };
  return {
    prepare: (object, old, write) =>
      change(object, (converted) => {
        if (old) strategy.prepareUpdate?.(converted, convert(old), write);
        else strategy.prepareCreate?.(converted, write);
      }),
    prepareStatus: (object, old, write) =>
      change(object, (converted) => strategy.prepareStatusUpdate?.(converted, convert(old), write)),
    ...(strategy.resets && { resets: strategy.resets }),
  };
}
