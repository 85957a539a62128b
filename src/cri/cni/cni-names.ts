import { CniError } from "./cni-error.ts";

/** Throws if an ID of a container would not be safe in the name of a file. */
export function checkContainerId(id: string): void {
  if (id === "") throw new CniError("unknownContainer", "missing containerID");
  if (!name.test(id))
    throw new CniError("invalidEnvironment", "invalid characters in containerID", id);
}

/** Throws if a name of a network would not be safe in the name of a file. */
export function checkNetworkName(text: string): void {
  if (text === "") throw new CniError("invalidConfig", "missing network name");
  if (!name.test(text))
    throw new CniError("invalidConfig", "invalid characters found in network name", text);
}

/** Throws if an interface cannot have a name. */
export function checkInterfaceName(text: string): void {
  const problem = interfaceNameProblem(text);
  if (problem !== undefined) throw new CniError("invalidEnvironment", problem, text);
}

function interfaceNameProblem(text: string): string | undefined {
  if (text === "") return "interface name is empty";
  if (text.length > 15) return "interface name is too long";
  if (text === "." || text === "..") return "interface name is . or ..";
  if (/[/:\s]/.test(text)) return "interface name contains / or : or whitespace characters";
  return undefined;
}

/** Whether a type of a plugin is the name of a file. */
export const isPluginType = (type: unknown): type is string =>
  typeof type === "string" && type !== "" && !/[/\\\0]/.test(type) && !/^\.{1,2}$/.test(type);

const name = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
