import { intFlag, stringFlag } from "../../../cli/flag.ts";

export const labelSelectorFlags = {
  selector: stringFlag({
    short: "l",
    usage:
      "Selector (label query) to filter on, supports '=', '==', '!=', 'in', 'notin' (e.g. -l key1=value1,key2 in (value2)). Objects must satisfy all of its constraints.",
  }),
};

export const fieldSelectorFlags = {
  "field-selector": stringFlag({
    usage:
      "Selector (field query) to filter on, supports '=', '==', and '!=' (e.g. --field-selector key1=value1,key2=value2). The server only supports a few field queries per type.",
  }),
};

export const chunkSizeFlags = {
  "chunk-size": intFlag({
    default: 500,
    usage: "Return large lists in chunks rather than all at once. Pass 0 to disable.",
  }),
};
