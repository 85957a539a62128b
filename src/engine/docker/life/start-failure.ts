/** Why a container could not be started, as clients read it. */
export interface StartFailure {
  readonly message: string;
  /** 126 if its command cannot be run, 127 if there is none, 128 for other reasons. */
  readonly exitCode: 126 | 127 | 128;
  readonly status: 400 | 500;
}

/** Translates an error of the OCI runtime; clients derive their own exit code from the message. */
export function startFailure(error: string): StartFailure {
  const message = /OCI runtime|unable to find user|no matching entries/.test(error)
    ? error
    : isRuntimeError(error)
      ? `failed to create task for container: failed to create shim task: OCI runtime create failed: ${error}: unknown`
      : error;
  const lower = message.toLowerCase();
  if (lower.includes("permission denied")) return { message, exitCode: 126, status: 400 };
  if (lower.includes("is a directory") && lower.includes("exec"))
    return { message: `${message}: permission denied`, exitCode: 126, status: 400 };
  if (lower.includes("not a directory"))
    return {
      message: `${message}: Are you trying to mount a directory onto a file (or vice-versa)? Check if the specified host path exists and is the expected type`,
      exitCode: 127,
      status: 400,
    };
  if (lower.includes("executable file not found") || lower.includes("no such file or directory"))
    return { message, exitCode: 127, status: 400 };
  return { message, exitCode: 128, status: 500 };
}

const isRuntimeError = (error: string): boolean =>
  /^(?:runc|crun)\b|container_linux\.go|container process|rootfs_linux\.go/.test(error);
