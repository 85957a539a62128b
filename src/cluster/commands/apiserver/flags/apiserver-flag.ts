import type { Flags, Values } from "../../../../cli/flag.ts";
import type { FlagGroup, OptionFlag } from "../../../flags/option-flag.ts";
import { type ServerFlag, section } from "../../../flags/server-flag.ts";
import type { StartOptions } from "../apiserver.ts";

/** A flag of the API server, with the checks of its value and the option that it sets. */
export const optionFlag = <T>(
  flag: ServerFlag<T>,
  option: Pick<OptionFlag<T, StartOptions>, "problems" | "sets">,
): OptionFlag<T, StartOptions> => ({ ...flag, ...option });

/** A flag that sets the option of `ApiServer` with this name. */
export function coreFlag<Name extends keyof Core, T extends NonNullable<Core[Name]>>(
  name: Name,
  flag: ServerFlag<T>,
  problems?: OptionFlag<T, StartOptions>["problems"],
): OptionFlag<T, StartOptions> {
  return optionFlag<T>(flag, {
    sets: (value) => ({ core: { [name]: value } }) as never,
    ...(problems && { problems }),
  });
}

type Core = NonNullable<StartOptions["core"]>;

/** Flags of the API server under one heading of its help. */
export const flagGroup = <const F extends Flags, V = Values<F>>(
  title: string,
  flags: F,
  group: Omit<FlagGroup<StartOptions, V>, "flags"> = {},
) => ({ flags: section(title, flags), ...group });
