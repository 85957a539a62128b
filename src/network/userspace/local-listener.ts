/** Something that listens at a port of 127.0.0.1. */
export interface LocalListener {
  readonly port: number;
  /** Stops listening, and ends all connections. */
  close(): void;
}

/** Listens at a port, or at any that is free if that one is not or needs more rights. */
export async function listenNear(
  wanted: number,
  listen: (port: number) => Promise<LocalListener>,
): Promise<LocalListener> {
  try {
    return await listen(wanted);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    return listen(0);
  }
}
