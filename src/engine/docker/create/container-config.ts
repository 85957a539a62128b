import {
  type Decoded,
  emptyObject,
  flag,
  integer,
  list,
  map,
  optional,
  strings,
  struct,
  text,
  words,
} from "../http/decode-json.ts";

const healthcheck = struct({
  Test: strings,
  Interval: integer,
  Timeout: integer,
  StartPeriod: integer,
  StartInterval: integer,
  Retries: integer,
});

/** What runs in a container, whichever host it is on. */
export const containerConfig = struct({
  Hostname: text,
  Domainname: text,
  User: text,
  AttachStdin: flag,
  AttachStdout: flag,
  AttachStderr: flag,
  ExposedPorts: map(emptyObject),
  Tty: flag,
  OpenStdin: flag,
  StdinOnce: flag,
  Env: list(text),
  Cmd: words,
  Healthcheck: optional(healthcheck),
  Image: text,
  Volumes: map(emptyObject),
  WorkingDir: text,
  Entrypoint: words,
  OnBuild: strings,
  Labels: map(text),
  StopSignal: text,
  StopTimeout: optional(integer),
  Shell: strings,
});

export type ContainerConfig = Decoded<typeof containerConfig>;
export type Healthcheck = Decoded<typeof healthcheck>;
