/** The words for a failed call of the system, such as `no such file or directory`, without its code and path. */
export function errnoText(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code !== "string" || typeof message !== "string") return String(error);
  return kernelWords[code] ?? /^\w+: (.*?)(?:, \w+.*)?$/.exec(message)?.[1] ?? message;
}

/** Where Node uses other words than the kernel's interface. */
const kernelWords: Readonly<Record<string, string>> = {
  EISDIR: "is a directory",
  ELOOP: "too many levels of symbolic links",
};
