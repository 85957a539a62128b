import { knownSignal } from "../../containers/signal-number.ts";
import type { ImageHealthcheck, ImageRunConfig } from "../../images/stored-image.ts";
import { badRequest } from "../http/docker-error.ts";
import { isPort } from "../network/port-requests.ts";
import type { ContainerConfig, Healthcheck } from "./container-config.ts";

/** Fills in what a container does not say from its image. A command replaces the image's command only. */
export function mergeImageConfig(own: ContainerConfig, image: ImageRunConfig): ContainerConfig {
  const merged: ContainerConfig = {
    ...own,
    User: own.User || (image.User ?? ""),
    ExposedPorts: union(knownPorts(image.ExposedPorts), own.ExposedPorts),
    Env: mergedEnv(own.Env, image.Env ?? []),
    ...commandOf(own, image),
    Healthcheck: mergedHealthcheck(own.Healthcheck, image.Healthcheck),
    Volumes: union(image.Volumes, own.Volumes),
    WorkingDir: own.WorkingDir || (image.WorkingDir ?? ""),
    Labels: union(image.Labels, own.Labels) ?? {},
    // One that does not exist would keep the container from being stopped.
    StopSignal: own.StopSignal || (knownSignal(image.StopSignal) ?? ""),
    Shell: own.Shell ?? image.Shell ?? null,
    OnBuild: null,
  };
  if ((merged.Entrypoint ?? []).length === 0 && (merged.Cmd ?? []).length === 0)
    throw badRequest("no command specified");
  return merged;
}

/** An entry point of one empty word removes the image's. A new entry point removes the image's command. */
function commandOf(
  own: ContainerConfig,
  image: ImageRunConfig,
): Pick<ContainerConfig, "Cmd" | "Entrypoint"> {
  const entrypoint = own.Entrypoint ?? [];
  if (entrypoint.length > 0) {
    const isReset = entrypoint.length === 1 && entrypoint[0] === "";
    return { Cmd: own.Cmd, Entrypoint: isReset ? null : entrypoint };
  }
  return {
    Cmd: (own.Cmd ?? []).length > 0 ? own.Cmd : (image.Cmd ?? null),
    Entrypoint: own.Entrypoint ?? image.Entrypoint ?? null,
  };
}

/** The variables of the container first, then those of the image that it does not set. */
function mergedEnv(
  own: readonly string[] | null,
  image: readonly string[],
): readonly string[] | null {
  if (own === null || own.length === 0) return image.length > 0 ? image : own;
  const set = new Set(own.map(nameOf));
  return [...own, ...image.filter((variable) => !set.has(nameOf(variable)))];
}

const nameOf = (variable: string): string => variable.split("=", 1)[0] ?? "";

/** The ports of an image that have the form of one: they become a part of rules for the packet filter. */
function knownPorts<T>(ports: Readonly<Record<string, T>> | null | undefined): Record<string, T> {
  return Object.fromEntries(Object.entries(ports ?? {}).filter(([port]) => isPort(port)));
}

function union<T>(
  image: Readonly<Record<string, T>> | null | undefined,
  own: Readonly<Record<string, T>> | null,
): Readonly<Record<string, T>> | null {
  const all = { ...image, ...own };
  return Object.keys(all).length > 0 ? all : own;
}

function mergedHealthcheck(
  own: Healthcheck | null,
  image: ImageHealthcheck | undefined,
): Healthcheck | null {
  const base: Healthcheck | null = image
    ? {
        Test: image.Test ?? null,
        Interval: image.Interval ?? 0,
        Timeout: image.Timeout ?? 0,
        StartPeriod: image.StartPeriod ?? 0,
        StartInterval: image.StartInterval ?? 0,
        Retries: image.Retries ?? 0,
      }
    : null;
  if (own === null || base === null) return own ?? base;
  return {
    Test: (own.Test ?? []).length > 0 ? own.Test : base.Test,
    Interval: own.Interval || base.Interval,
    Timeout: own.Timeout || base.Timeout,
    StartPeriod: own.StartPeriod || base.StartPeriod,
    StartInterval: own.StartInterval || base.StartInterval,
    Retries: own.Retries || base.Retries,
  };
}
