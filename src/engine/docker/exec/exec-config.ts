import {
  type Decoded,
  flag,
  integer,
  list,
  optional,
  strings,
  struct,
  text,
} from "../http/decode-json.ts";

/** What a client asks to run in a container. */
export const execConfig = struct({
  User: text,
  Privileged: flag,
  Tty: flag,
  ConsoleSize: optional(list(integer)),
  AttachStdin: flag,
  AttachStdout: flag,
  AttachStderr: flag,
  DetachKeys: text,
  Env: strings,
  WorkingDir: text,
  Cmd: strings,
});

export const execStart = struct({ Detach: flag, Tty: flag, ConsoleSize: optional(list(integer)) });

export type ExecConfig = Decoded<typeof execConfig>;
