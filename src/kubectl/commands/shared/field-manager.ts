import { stringFlag } from "../../../cli/flag.ts";

/** The flag that names who owns the fields that a command writes. */
export const fieldManagerFlags = (manager: string) => ({
  "field-manager": stringFlag({
    default: manager,
    usage: "Name of the manager used to track field ownership.",
  }),
});
