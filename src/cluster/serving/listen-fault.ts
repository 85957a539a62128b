/** Adds a remedy to the error for a socket that cannot be opened. */
export function listenFault(
  cause: unknown,
  {
    host,
    port,
    flag = "--secure-port",
  }: { readonly host: string; readonly port: number; readonly flag?: string },
): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE")
    return new Error(
      `port ${port} of ${host} is in use: stop what listens there, or choose another with ${flag}`,
      { cause },
    );
  if (code === "EACCES")
    return new Error(
      `port ${port} is for the system's own services: choose one above 1023 with ${flag}`,
      { cause },
    );
  if (code === "EADDRNOTAVAIL")
    return new Error(
      `${host} is not an address of this machine: choose another with --bind-address`,
      { cause },
    );
  return cause;
}
