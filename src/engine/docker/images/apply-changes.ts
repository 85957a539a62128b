import type { ImageRunConfig } from "../../images/stored-image.ts";
import { badRequest } from "../http/docker-error.ts";

/** Applies instructions of a Dockerfile, such as `CMD ["sh"]`, to the configuration of an image. */
export function applyChanges(config: ImageRunConfig, changes: readonly string[]): ImageRunConfig {
  return changes
    .flatMap((change) => change.split("\n"))
    .map((change) => change.trim())
    .filter((change) => change !== "")
    .reduce(applyChange, config);
}

function applyChange(config: ImageRunConfig, change: string): ImageRunConfig {
  const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(change) ?? [];
  switch (word.toUpperCase()) {
    case "CMD":
      return { ...config, Cmd: command(rest) };
    case "ENTRYPOINT":
      return { ...config, Entrypoint: command(rest) };
    case "ENV":
      return { ...config, Env: withVariables(config.Env ?? [], pairs(rest)) };
    case "LABEL":
      return { ...config, Labels: { ...config.Labels, ...Object.fromEntries(pairs(rest)) } };
    case "USER":
      return { ...config, User: rest };
    case "WORKDIR":
      return { ...config, WorkingDir: rest };
    case "STOPSIGNAL":
      return { ...config, StopSignal: rest };
    case "EXPOSE":
      return { ...config, ExposedPorts: { ...config.ExposedPorts, ...ports(rest) } };
    case "VOLUME":
      return { ...config, Volumes: { ...config.Volumes, ...volumes(rest) } };
    default:
      throw badRequest(`${word.toLowerCase()} is not a valid change command`);
  }
}

/** A JSON list, or a line for the shell. */
const command = (text: string): readonly string[] => jsonList(text) ?? ["/bin/sh", "-c", text];

function jsonList(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((one) => typeof one === "string")
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** Pairs such as `a=b c="d e"`, or one pair with a space: `a b c`. */
function pairs(text: string): readonly (readonly [string, string])[] {
  const words = [...text.matchAll(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(
    ([word]) => word,
  );
  if (words[0]?.includes("=") !== true) {
    const [, name = "", value = ""] = /^(\S+)\s+(.*)$/.exec(text) ?? [];
    if (name === "") throw badRequest("ENV must have two arguments");
    return [[name, value]];
  }
  return words.map((word) => {
    const at = word.indexOf("=");
    return [word.slice(0, at), unquoted(word.slice(at + 1))] as const;
  });
}

const unquoted = (text: string): string =>
  text.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
    double === undefined ? (single ?? "") : double.replaceAll(/\\(.)/g, "$1"),
  );

function withVariables(
  before: readonly string[],
  added: readonly (readonly [string, string])[],
): readonly string[] {
  const variables = new Map(before.map((one) => [one.split("=", 1)[0], one]));
  for (const [name, value] of added) variables.set(name, `${name}=${value}`);
  return [...variables.values()];
}

const ports = (text: string): Readonly<Record<string, object>> =>
  Object.fromEntries(
    text.split(/\s+/).map((port) => [port.includes("/") ? port : `${port}/tcp`, {}]),
  );

const volumes = (text: string): Readonly<Record<string, object>> =>
  Object.fromEntries((jsonList(text) ?? text.split(/\s+/)).map((path) => [path, {}]));
