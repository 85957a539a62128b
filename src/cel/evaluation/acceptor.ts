import type { CelType } from "../checking/cel-type.ts";
import { CelList, CelMap, type CelValue, isError, typeNameOf } from "../values/cel-value.ts";

/** Whether a value is of a declared type, as far as that shows: of a list, the first element counts. */
export type Acceptor = (value: CelValue) => boolean;

/** Makes what tells whether a value is of a type. */
export function acceptorOf(type: CelType): Acceptor {
  switch (type.kind) {
    case "any":
    case "dyn":
    case "parameter":
      return (value) => !isError(value);
    case "string":
      return (value) => typeof value === "string";
    case "int":
      return (value) => typeof value === "bigint";
    case "list":
      return acceptorOfList(type);
    case "map":
      return acceptorOfMap(type);
    default: {
      const { name } = type;
      return (value) => typeNameOf(value) === name;
    }
  }
}

function acceptorOfList({ parameters: [element] }: CelType): Acceptor {
  const accepts = element === undefined ? () => true : acceptorOf(element);
  return (value) => value instanceof CelList && (value.size === 0 || accepts(value.at(0)));
}

function acceptorOfMap({ parameters: [key, element] }: CelType): Acceptor {
  const acceptsKey = key === undefined ? () => true : acceptorOf(key);
  const accepts = element === undefined ? () => true : acceptorOf(element);
  return (value) => {
    if (!(value instanceof CelMap)) return false;
    const first = value.keys()[0];
    return first === undefined || (acceptsKey(first) && accepts(value.find(first) ?? null));
  };
}
