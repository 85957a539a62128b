import { isDigest } from "./digest.ts";
import { parseObject } from "./manifest.ts";
import type { ImageConfig } from "./stored-image.ts";

/** Reads the configuration of an image, and checks the types of all that is used of it. */
export function parseImageConfig(bytes: Uint8Array): ImageConfig {
  const document = parseObject(bytes, "image configuration");
  const { rootfs } = document;
  if (!isObject(rootfs) || !isListOf(rootfs.diff_ids ?? [], isDigest))
    throw fault("rootfs.diff_ids");
  check(document, { os: isText, architecture: isText, variant: isText, created: isText });
  check(document, { author: isText, history: (value) => isListOf(value, isHistory) });
  if (document.config !== undefined && document.config !== null) {
    if (!isObject(document.config)) throw fault("config");
    check(document.config, runConfigChecks);
    if (isObject(document.config.Healthcheck))
      check(document.config.Healthcheck, healthcheckChecks);
  }
  return {
    ...document,
    os: document.os || "linux",
    architecture: document.architecture ?? "",
    rootfs: { type: "layers", diff_ids: rootfs.diff_ids ?? [] },
    config: document.config ?? undefined,
  } as ImageConfig;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isBool: Check = (value) => typeof value === "boolean";
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf = (value: unknown, isMember: Check): boolean =>
  Array.isArray(value) && value.every(isMember);
const isTexts: Check = (value) => isListOf(value, isText);
const isSet: Check = (value) => isObject(value) && Object.values(value).every(isObject);
const isTextMap: Check = (value) => isObject(value) && Object.values(value).every(isText);
const isHistory: Check = isObject;

const runConfigChecks: Readonly<Record<string, Check>> = {
  User: isText,
  Env: isTexts,
  Entrypoint: isTexts,
  Cmd: isTexts,
  WorkingDir: isText,
  StopSignal: isText,
  ExposedPorts: isSet,
  Volumes: isSet,
  Labels: isTextMap,
  Healthcheck: isObject,
  ArgsEscaped: isBool,
  OnBuild: isTexts,
  Shell: isTexts,
};

const healthcheckChecks: Readonly<Record<string, Check>> = {
  Test: isTexts,
  Interval: isNumber,
  Timeout: isNumber,
  StartPeriod: isNumber,
  StartInterval: isNumber,
  Retries: isNumber,
};

/** Absent and null members pass. */
function check(value: Record<string, unknown>, checks: Readonly<Record<string, Check>>): void {
  for (const [name, isValid] of Object.entries(checks)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member !== undefined && member !== null && !isValid(member)) throw fault(name);
  }
}

const fault = (name: string): Error => new Error(`invalid image configuration: ${name}`);
